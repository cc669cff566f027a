import type { ReviewWords } from '../en/review.ts';

export const reviewZh: ReviewWords = {};
