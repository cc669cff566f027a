import { loadSheet } from '../../src/engine/sheet/load-sheet.ts';
import { readSheet } from '../../src/engine/sheet/read-sheet.ts';
import type { ContenderInput, Figures } from '../contender.ts';
import { digestCells } from '../support/cells-digest.ts';
import { textIn } from '../support/input.ts';
import { maxRssMiB, measure } from '../support/measure.ts';

/** Reads a sheet as we do; with `checked` also what each row asks for is checked. Input: `path`, `depth`. */
export async function readByOurs(input: ContenderInput): Promise<Figures> {
  const path = textIn(input, 'path');
  if (textIn(input, 'depth') === 'checked') {
    let rows = 0;
    const cost = await measure(async () => {
      rows = (await loadSheet(path)).rows.length;
    });
    return { ...cost, rows, rssMiB: maxRssMiB(), digest: '' };
  }
  let lines: (readonly string[])[] = [];
  const cost = await measure(async () => {
    const sheet = await readSheet(path);
    if (!sheet.ok) throw new Error(sheet.error.message);
    lines = [sheet.value.headers, ...sheet.value.records.map((record) => record.cells)];
  });
  return { ...cost, rows: lines.length - 1, rssMiB: maxRssMiB(), digest: digestCells(lines) };
}
