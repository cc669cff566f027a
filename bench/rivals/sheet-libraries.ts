import { readFile } from 'node:fs/promises';
import type { ContenderInput, Figures } from '../contender.ts';
import { digestCells } from '../support/cells-digest.ts';
import { textIn } from '../support/input.ts';
import { maxRssMiB, measure } from '../support/measure.ts';

/** papaparse alone on the text of a CSV file. Input: `path`. */
export async function readByPapaparse(input: ContenderInput): Promise<Figures> {
  const { default: Papa } = await import('papaparse');
  let lines: string[][] = [];
  const cost = await measure(async () => {
    lines = Papa.parse<string[]>(await readFile(textIn(input, 'path'), 'utf8')).data;
  });
  return { ...cost, rows: lines.length - 1, rssMiB: maxRssMiB(), digest: digestCells(lines) };
}

/** The reader of workbooks that its users call small and fast. Input: `path`. */
export async function readByReadExcelFile(input: ContenderInput): Promise<Figures> {
  const { readSheet } = await import('read-excel-file/node');
  let lines: readonly (readonly unknown[])[] = [];
  const cost = await measure(async () => {
    lines = await readSheet(textIn(input, 'path'));
  });
  return { ...cost, rows: lines.length - 1, rssMiB: maxRssMiB(), digest: digestCells(lines) };
}
