import { readSheet } from '../../src/engine/sheet-files/read/read-sheet.ts';
import type { ContenderInput, Figures } from '../contender.ts';
import { digestCells } from '../support/cells-digest.ts';
import { textIn } from '../support/input.ts';
import { maxRssMiB, measure } from '../support/measure.ts';

/** Reads a sheet as we do. Input: `path`. */
export async function readByOurs(input: ContenderInput): Promise<Figures> {
  let lines: (readonly string[])[] = [];
  const cost = await measure(async () => {
    const sheet = await readSheet(textIn(input, 'path'));
    if (!sheet.ok) throw new Error(sheet.error.message);
    lines = [sheet.value.headers, ...sheet.value.records.map((record) => record.cells)];
  });
  return { ...cost, rssMiB: maxRssMiB(), digest: digestCells(lines) };
}
