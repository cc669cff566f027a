/** What arrives late of a file that is read for the window, and what the user wants meanwhile. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { ReadSheetOptions } from '../../../src/engine/index.ts';
import type { ReadListener } from '../../../src/engine/sheet-files/reader-process/sheet-reader.ts';
import type { TellWindow } from '../../../src/main/engine-process/engine-protocol.ts';
import { OpenSheets, type OpenSheetsOptions } from '../../../src/main/services/open-sheets.ts';
import { earlierBatch } from '../../../src/main/services/sheet-views.ts';
import { err, ok, type Result } from '../../../src/shared/domain/base/result.ts';
import { checkSheet } from '../../../src/shared/domain/sheet/check-sheet.ts';
import type { SheetProblem } from '../../../src/shared/domain/sheet/problems.ts';
import type { RawSheet } from '../../../src/shared/domain/sheet/sheet-raw.ts';
import { news } from '../../../src/shared/ipc/contract.ts';
import type { SheetBeginning } from '../../../src/shared/ipc/opening.ts';
import { rawSheet } from '../../support/sheet-files.ts';

const LINES = [['row', 'operation', 'prompt'], ...Array.from({ length: 120 }, (_, i) => [`r${i}`, 'image', 'A fox'])];
const BROKEN: SheetProblem = { severity: 'error', code: 'quotes-broken', message: 'Broken.', remedy: 'Mend it.' };
const FILE = { kind: 'file', path: '/sheets/night.csv' } as const;

/** A reading that goes on when the test says so. */
interface ScriptedReading {
  readonly way: ReadSheetOptions;
  readonly listener: ReadListener;
  readonly end: (read: Result<RawSheet, SheetProblem>) => void;
}

let readings: ScriptedReading[];
let beginnings: SheetBeginning[];
let progress: unknown[];
/** What the lists of the user wait for. */
let lists: Promise<void>;
let sheets: OpenSheets;

beforeEach(() => {
  readings = [];
  beginnings = [];
  progress = [];
  lists = Promise.resolve();
  const read = (_path: string, way: ReadSheetOptions = {}, listener: ReadListener = {}) =>
    new Promise<Result<RawSheet, SheetProblem>>((end) => void readings.push({ way, listener, end }));
  const tell: TellWindow = (event, told) => {
    if (event === 'sheet.beginning') beginnings.push(news['sheet.beginning'].parse(told).sheet);
    if (event === 'sheet.progress') progress.push(told);
  };
  const engine = {
    sheets: { read, check: checkSheet, withoutKeys: (text: string) => text },
    store: { batches: () => [] },
  } as unknown as OpenSheetsOptions['engine'];
  sheets = new OpenSheets({ engine, tell, lists: () => lists.then(() => ({})) });
});

const open = () => sheets.openFile('s', FILE, 'Night', {});
const settle = () => new Promise((resolve) => setImmediate(resolve));

function begin({ listener }: ScriptedReading, encoding = 'utf-8'): void {
  const { headers, records } = rawSheet(LINES.slice(0, 101));
  listener.onBeginning?.({ headers, records, source: { format: 'csv', encoding, delimiter: ',' } });
}

function reading(index: number): ScriptedReading {
  const found = readings[index];
  if (found === undefined) throw new Error('It was not read.');
  return found;
}

test('the batch of the same file that counts is one that was paid for, then one that ran, then one that only waits', async () => {
  const made = (id: string, state: string, rehearsal: boolean) => ({
    id,
    state,
    settings: { rehearsal },
    sheetPath: 's',
  });
  const found = async (...batches: readonly object[]) =>
    (await earlierBatch({ batches: () => Promise.resolve(batches as never) }, 's'))?.id;
  const [paid, rehearsed] = [made('paid', 'finished', false), made('rehearsed', 'finished', true)];
  const [waits, waitsRehearsal] = [made('waits', 'ready', false), made('waitsRehearsal', 'ready', true)];
  expect(await found(paid, rehearsed, waits, waitsRehearsal)).toBe('paid');
  expect(await found(rehearsed, waits, waitsRehearsal)).toBe('rehearsed');
  expect(await found(waits, waitsRehearsal)).toBe('waits');
  expect(await found(waitsRehearsal)).toBe('waitsRehearsal');
});

test('warnings that are ignored are counted by themselves, and stay so in the batch that is made of the sheet', async () => {
  const opened = open();
  reading(0).end(
    ok(
      rawSheet([
        ['row', 'operation', 'prompt', 'mood'],
        ['a', 'music', 'owl', 'calm'],
        ['b', 'musick', '', 'x'],
      ]),
    ),
  );
  const before = await opened;
  expect(before).toMatchObject({ errorCount: 1, warningCount: 1, ignored: [] });
  const mood = { code: 'unknown-column', column: 'mood' } as const;
  const wrong = { code: 'operation-unknown', column: 'operation' } as const;
  const understanding = { mapping: {}, variables: {}, choices: 'draw', ignored: [mood, wrong] } as const;
  const after = await sheets.interpret('s', { ...understanding, ignored: [...understanding.ignored] }, {});
  expect(after).toMatchObject({
    errorCount: 1,
    warningCount: 0,
    ignored: [
      { ...mood, count: 1 },
      { ...wrong, count: 0 },
    ],
  });
  expect(after?.problems.map(({ code }) => code)).toEqual(['operation-unknown']);
  expect(sheets.find('s')?.sheetSettings.ignored).toEqual([mood, wrong]);
});

describe('the beginning of a file', () => {
  test('is told as one, without a count; no batch is made of it', async () => {
    const opened = open();
    begin(reading(0));
    await settle();
    expect(beginnings).toMatchObject([{ sheetId: 's', name: 'Night', encoding: 'utf-8', needsOperation: false }]);
    expect(beginnings[0]?.preview.rows).toHaveLength(50);
    expect(beginnings[0]?.preview.bodies[0]).toContain('A fox');
    expect(beginnings[0]).not.toHaveProperty('rowCount');
    expect(sheets.find('s')).toBeUndefined();
    reading(0).listener.onProgress?.({ rows: 2_000 });
    expect(progress).toEqual([{ sheetId: 's', rows: 2_000 }]);
    reading(0).end(ok(rawSheet(LINES)));
    expect(await opened).toMatchObject({ sheetId: 's', rowCount: 120, runnableRows: 120 });
    expect(sheets.find('s')?.sheet.rows).toHaveLength(120);
  });

  test('that comes after everything else is not told', async () => {
    let letListsCome = (): void => undefined;
    lists = new Promise((resolve) => {
      letListsCome = resolve;
    });
    const opened = open();
    begin(reading(0));
    lists = Promise.resolve();
    reading(0).end(ok(rawSheet(LINES)));
    expect(await opened).toMatchObject({ rowCount: 120 });
    letListsCome();
    await settle();
    expect(beginnings).toEqual([]);
  });

  test('leaves nothing where the file is refused further down', async () => {
    const opened = open();
    begin(reading(0));
    await settle();
    reading(0).end(err(BROKEN));
    expect(await opened).toMatchObject({ rowCount: 0, preview: { rows: [] }, problems: [{ code: 'quotes-broken' }] });
    expect(sheets.find('s')?.sheet.rows).toEqual([]);
  });

  test('of a sheet whose columns say nothing of what to render is not told: there are no rows to show', async () => {
    void open();
    const { headers, records } = rawSheet([['a', 'b'], ...LINES.slice(1, 50).map(() => ['1', '2'])]);
    reading(0).listener.onBeginning?.({ headers, records, source: { format: 'csv' } });
    await settle();
    expect(beginnings).toEqual([]);
  });
});

describe('a file that is still being read', () => {
  test('and is closed is read no further, and leaves nothing', async () => {
    const opened = open();
    begin(reading(0));
    await settle();
    sheets.forget('s');
    expect(reading(0).listener.signal?.aborted).toBe(true);
    reading(0).end(ok(rawSheet(LINES)));
    expect(await opened).toBeUndefined();
    expect(sheets.find('s')).toBeUndefined();
    expect(await sheets.reread('s', { encoding: 'gbk' }, undefined)).toBeUndefined();
  });

  test('is read in another way instead, whichever reading ends first', async () => {
    const opened = open();
    begin(reading(0));
    await settle();
    const reread = sheets.reread('s', { encoding: 'gbk' }, undefined);
    expect(reading(0).listener.signal?.aborted).toBe(true);
    expect(reading(1).way).toEqual({ encoding: 'gbk' });
    begin(reading(1), 'gbk');
    begin(reading(0));
    await settle();
    expect(beginnings.map(({ encoding }) => encoding)).toEqual(['utf-8', 'gbk']);
    reading(1).end(ok({ ...rawSheet(LINES), source: { ...rawSheet(LINES).source, encoding: 'gbk' } }));
    reading(0).end(ok(rawSheet(LINES.slice(0, 5))));
    expect(await opened).toBeUndefined();
    expect(await reread).toMatchObject({ ok: true, value: { encoding: 'gbk', rowCount: 120 } });
    expect(sheets.find('s')?.sheet.rows).toHaveLength(120);
  });

  test('goes on where it cannot be read in another way', async () => {
    const opened = open();
    begin(reading(0));
    await settle();
    const refused = await sheets.reread('s', { sheet: 'Second' }, undefined);
    expect(refused).toMatchObject({ ok: false });
    expect(reading(0).listener.signal?.aborted).toBe(false);
    reading(0).end(ok(rawSheet(LINES)));
    expect(await opened).toMatchObject({ rowCount: 120 });
  });

  test('and is the same with the same headers keeps what the user said of them', async () => {
    const opened = open();
    reading(0).end(ok(rawSheet(LINES)));
    await opened;
    const mapping = { prompt: '' };
    await sheets.interpret('s', { mapping, variables: {}, choices: 'draw' }, undefined);
    const reread = sheets.reread('s', { encoding: 'gbk' }, undefined);
    begin(reading(1), 'gbk');
    await settle();
    expect(beginnings[0]?.columns[2]).toMatchObject({ header: 'prompt', how: 'ignored' });
    expect(sheets.find('s')?.sheet.rows).toHaveLength(120);
    reading(1).end(ok(rawSheet(LINES)));
    expect((await reread)?.ok).toBe(true);
  });
});
