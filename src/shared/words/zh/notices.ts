import type { NoticesWords } from '../en/notices.ts';

export const noticesZh: NoticesWords = {};
