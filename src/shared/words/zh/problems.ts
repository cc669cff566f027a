import type { ProblemsWords } from '../en/problems.ts';

export const problemsZh: ProblemsWords = {};
