import type { ShellWords } from '../en/shell.ts';

export const shellZh: ShellWords = {};
