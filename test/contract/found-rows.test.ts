import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PromisedStore } from '../../src/engine/store/thread/promised.ts';
import { FIND_PAGE, type RowPosition } from '../../src/shared/domain/task/batch-view.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { WAYS } from './opened-store.ts';
import { makeRow, newBatch } from './task-store-fixtures.ts';

const HEADERS = ['row', 'Type', 'title', 'prompt', 'note'];

/** A row with these cells, of which a part is sent. */
function rowWith(line: number, cells: Row['cells'], body: Row['body'] = { ...cells }): Row {
  return makeRow(line, { cells: { row: `r${line}`, Type: 'music', ...cells }, body, note: cells['note'] });
}

describe.each(WAYS)('%s', (_, openIn) => {
  let opened: PromisedStore;
  beforeEach(async () => {
    opened = await openIn(temporaryFolder());
  });
  afterEach(async () => {
    await opened.close();
  });

  async function imported(rows: readonly Row[]): Promise<string> {
    return (await opened.store.createBatch(newBatch({ headers: HEADERS, rows }))).id;
  }

  test('a row is found by its id and by each cell, in either case, and says where', async () => {
    const id = await imported([
      rowWith(2, { title: 'Harbour', prompt: 'A "quiet" night,\nwith 100%_ rain' }),
      rowWith(3, { title: 'Große Étude', prompt: 'СКРИПКА и Виолончель', note: 'for Anna' }),
      rowWith(4, { title: 'Owls', prompt: '{bird} at night' }, { title: 'Owls', prompt: 'An eagle at night' }),
      rowWith(5, { prompt: '{bird} sings' }, { prompt: 'An eagle sings' }),
    ]);
    const found = async (text: string) =>
      (await opened.views.rowsWith(id, text, undefined, 9)).rows.map(({ row, header }) => [row, header ?? '']);
    expect(await found('HARBOUR')).toEqual([['r2', 'title']]);
    expect(await found(' night ')).toEqual([
      ['r2', 'prompt'],
      ['r4', 'prompt'],
    ]);
    expect(await found('"QUIET" night,\nwith')).toEqual([['r2', 'prompt']]);
    expect(await found('100%_')).toEqual([['r2', 'prompt']]);
    expect(await found('0_%')).toEqual([]);
    for (const text of ['скрипка', 'Скрипка', 'виолончель', 'ВИОЛОНЧЕЛЬ', 'große étude', 'anna']) {
      expect((await found(text)).map(([row]) => row)).toEqual(['r3']);
    }
    expect(await found('R4')).toEqual([['r4', '']]);
    // What was put in for a variable is shown by the grid, too.
    expect(await found('eagle')).toEqual([['r5', '']]);
    // How a row is run, and what is stored beside its cells, is the same for all.
    for (const text of ['music', 'cells', 'priority', '']) expect(await found(text)).toEqual([]);
    const [first] = (await opened.views.rowsWith(id, 'rain', undefined, 9)).rows;
    expect(first).toMatchObject({ row: 'r2', status: 'queued', text: '…uiet" night, with 100%_ rain' });
  });

  test.each([
    ['Красная площадь ночью', 'красная площадь'],
    ['Ein Lied über Äpfel', 'über äpfel'],
    ['mit ÄHNLICHEM Öl', 'ähnlichem öl'],
    ['iPhone im McÄrger', 'mcärger'],
    ['DIE GROẞE FUGE', 'große fuge'],
    ['Cafe\u0301 noir', 'café noir'],
    ['Café noir', 'CAFE\u0301'],
    ['İzmir at night', 'i\u0307zmir'],
    ['밤의 노래'.normalize('NFD'), '노래'],
    ['一首\uF914歌', '一首\u6A02'],
    ['a\u2028b', 'a\u2028b'],
    ['half \uD83E an owl', 'half \uD83E'],
  ])('“%s” is found by “%s”', async (prompt, text) => {
    const id = await imported([rowWith(2, { prompt }, { prompt: 'x' }), rowWith(3, { prompt: 'Ein Cafe' })]);
    const { rows } = await opened.views.rowsWith(id, text, undefined, 9);
    expect(rows.map(({ row, header }) => [row, header])).toEqual([['r2', 'prompt']]);
  });

  test('the next page begins after the last row that was looked at, until the sheet ends', async () => {
    const id = await imported(
      Array.from({ length: FIND_PAGE + 2_005 }, (_row, i) =>
        rowWith(i + 2, { title: i % 2_000 === 0 ? 'An owl' : 'A gull' }),
      ),
    );
    async function pages(most: number): Promise<readonly (readonly string[])[]> {
      const found: (readonly string[])[] = [];
      let from: RowPosition | undefined;
      do {
        const page = await opened.views.rowsWith(id, 'owl', from, most);
        found.push(page.rows.map(({ row }) => row));
        from = page.next;
      } while (from !== undefined);
      return found;
    }
    expect(await pages(9)).toEqual([['r2', 'r2002', 'r4002'], ['r6002']]);
    expect(await pages(2)).toEqual([['r2', 'r2002'], ['r4002', 'r6002'], []]);
    expect(await opened.views.rowsWith('none', 'owl', undefined, 9)).toEqual({ rows: [] });
  });
});
