import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KEY_MARK } from '../../../src/shared/domain/base/key-finder.ts';
import { engineRequests } from '../../../src/main/engine-process/engine-protocol.ts';
import { DEFAULT_PROFILE } from '../../../src/shared/domain/gateway/profile.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import {
  createBatch,
  keyAt,
  openSheet,
  type Running,
  serviceOpener,
  SHEET,
  sheetOf,
  value,
} from './engine-service-rig.ts';

const open = serviceOpener();

const BY_LINE = { column: 'line', direction: 'ascending' } as const;

describe('what the engine’s process answers', () => {
  test('a sheet, its batch, its rows and their details agree with the contract', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { engine, service } = opened;
    await openSheet(opened, folder);
    const batch = await createBatch(opened, folder);
    expect(batch).toMatchObject({
      state: 'ready',
      rowCount: 5,
      taskCount: 3,
      rows: { invalid: 2, skipped: 1 },
      files: 0,
    });

    await value(service.handlers['batch.start']({ batchId: batch.id }));
    await engine.settled(batch.id);
    const finished = await value(service.handlers['batch.get']({ batchId: batch.id }));
    expect(finished).toMatchObject({ state: 'finished', submitsUsed: 3, files: 3 });
    expect(engineRequests['batch.get'].output.parse(finished)).toEqual(finished);

    const detail = await value(
      service.handlers['row.detail']({ batchId: batch.id, key: await keyAt(opened, batch.id, 0) }),
    );
    expect(engineRequests['row.detail'].output.parse(detail)).toEqual(detail);
    expect(detail.tasks).toHaveLength(2);
    expect(detail.tasks[0]?.events.map((event) => event.kind)).toContain('accepted');
    expect(detail.tasks[0]?.lastAnswer).toContain('HTTP 200');
    expect(JSON.parse(detail.body)).toEqual({ prompt: 'A lullaby about a lighthouse', lyrics_model: 'v1' });

    const [file] = detail.tasks[0]?.files ?? [];
    const located = await value(service.handlers['file.locate']({ fileId: file?.id ?? '' }));
    expect(readFileSync(located.path)).toHaveLength(located.bytes);
  });

  test('a key that was in a cell before it was entered is not shown in what the cell has said', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { engine, service } = opened;
    await openSheet(opened, folder);
    const { id: batchId } = await createBatch(opened, folder);
    const key = await keyAt(opened, batchId, 0);
    const secret = 'sk-canary-0123456789';
    for (const text of [secret, `${secret}, but sung`, 'A lullaby']) {
      const edit = { kind: 'set-cells', rows: [key], added: 0, headers: ['prompt'], values: [[text]] } as const;
      await value(service.handlers['sheet.edit']({ batchId, edit }));
    }
    engine.setKey('https://gateway.example', secret);
    const { edits } = await value(service.handlers['row.detail']({ batchId, key }));
    expect(edits?.changes.map(({ before, after }) => [before, after]).slice(0, 2)).toEqual([
      [`${KEY_MARK}, but sung`, 'A lullaby'],
      [KEY_MARK, `${KEY_MARK}, but sung`],
    ]);
    expect(JSON.stringify(edits)).not.toContain(secret);
  });

  test('rows are found by one status, by several, and by none', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    await openSheet(opened, folder);
    const { id } = await createBatch(opened, folder);
    const rowsWith = async (status: ('queued' | 'invalid' | 'skipped' | 'done')[], offset = 0, limit = 10) => {
      const input = { batchId: id, filter: { status }, sort: BY_LINE, offset, limit };
      const page = await value(opened.service.handlers['rows.page'](input));
      return [page.keys.length, ...page.rows.map((row) => row.row)];
    };
    expect(await rowsWith([])).toEqual([5, 'one', 'two', 'three', 'four', 'five']);
    expect(await rowsWith(['invalid'])).toEqual([2, 'three', 'four']);
    expect(await rowsWith(['queued', 'skipped'])).toEqual([3, 'one', 'two', 'five']);
    expect(await rowsWith(['queued', 'skipped'], 1, 1)).toEqual([3, 'two']);
    expect(await rowsWith(['done'])).toEqual([0]);
  });

  test('a change of many rows asks for the page again, of few brings them', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    await openSheet(opened, folder);
    const { id } = await createBatch(opened, folder);
    const few = await opened.service.batches.changed({ batchId: id, rows: new Set(['two', 'gone']) });
    expect(few).toMatchObject({ rowsStale: false, rows: [{ row: 'two', status: 'queued' }] });
    const many = new Set(Array.from({ length: 501 }, (_, index) => `r${index}`));
    expect(await opened.service.batches.changed({ batchId: id, rows: many })).toMatchObject({
      rowsStale: true,
      rows: [],
    });
    expect(await opened.service.batches.changed({ batchId: 'gone', rows: new Set() })).toBeUndefined();
  });

  test('a retry of all sets going what was shown to have failed or to be cancelled, and nothing else', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { engine, service } = opened;
    await openSheet(opened, folder);
    const { id: batchId } = await createBatch(opened, folder);
    const [one = -1, two = -1] = await engine.rows.keysInView(batchId, {}, 0, 2);
    await engine.decisions.cancel(batchId, [one]);
    const shown = await value(service.handlers['batch.retryable']({ batchId }));
    expect(engineRequests['batch.retryable'].output.parse(shown)).toEqual(shown);
    expect(shown.takes).toHaveLength(2);
    await engine.decisions.cancel(batchId, [two]);
    await value(service.handlers['batch.start']({ batchId }));
    await engine.settled(batchId);
    const [first, ...others] = shown.takes;
    expect(await value(service.handlers['batch.retry']({ batchId, takes: others }))).toEqual({ tasks: 1, left: 0 });
    await engine.settled(batchId);
    expect((await engine.store.tasksOfRow(batchId, 'one')).map(({ status }) => status)).toEqual(['cancelled', 'done']);
    expect((await engine.store.tasksOfRow(batchId, 'two')).map(({ status }) => status)).toEqual(['cancelled']);
    // One of those that were shown is done by now, and is not rendered again.
    expect(await value(service.handlers['batch.retry']({ batchId, takes: shown.takes }))).toEqual({
      tasks: 1,
      left: 1,
    });
    await engine.settled(batchId);
    expect(first).toMatchObject({ attempts: 0 });
    expect(await engine.store.submitsUsed(batchId)).toBe(2);
  });

  test('rows are retried and cancelled by their keys, whatever they are called by then', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { engine, service } = opened;
    await openSheet(opened, folder);
    const { id: batchId } = await createBatch(opened, folder);
    const [one = -1, two = -1] = await engine.rows.keysInView(batchId, {}, 0, 2);
    const rename = (key: number, to: string) =>
      engine.editor.edit(batchId, { kind: 'set-cells', rows: [key], added: 0, headers: ['row'], values: [[to]] });
    await rename(two, 'third');
    await rename(one, 'two');
    expect(await value(service.handlers['batch.cancelRows']({ batchId, rows: [two] }))).toEqual({ tasks: 1 });
    expect((await engine.store.tasksOfRow(batchId, 'two')).map(({ status }) => status)).toEqual(['queued', 'queued']);
    const { takes } = await value(service.handlers['batch.retryable']({ batchId, rows: [two] }));
    const [task] = await engine.store.tasksOfRow(batchId, 'third');
    expect(takes.map(({ id }) => id)).toEqual([task?.id]);
  });

  test('the evidence of a row is that of its own takes, whatever it is called by now', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { handlers } = opened.service;
    await openSheet(opened, folder);
    const { id: batchId } = await createBatch(opened, folder);
    await value(handlers['batch.start']({ batchId }));
    await opened.engine.settled(batchId);
    const rows = [await keyAt(opened, batchId, 0), await keyAt(opened, batchId, 1)];
    const edit = { kind: 'set-cells' as const, rows, added: 0, headers: ['row'], values: [['third'], ['one']] };
    await value(handlers['sheet.edit']({ batchId, edit }));
    const takes = await Promise.all(
      rows.map(async (key) => (await value(handlers['row.evidence']({ batchId, key }))).takes.length),
    );
    expect(takes).toEqual([2, 1]);
    const file = join(folder, 'evidence.json');
    expect(await value(handlers['evidence.write']({ batchId, rows: rows.slice(1), file }))).toEqual({ takes: 1 });
  });

  test('what is not there is said not to be', async () => {
    const folder = temporaryFolder();
    const { handlers } = (await open(folder)).service;
    const missing = { ok: false, error: { code: 'not-found' } };
    expect(await handlers['batch.get']({ batchId: 'gone' })).toMatchObject(missing);
    expect(await handlers['batch.start']({ batchId: 'gone' })).toMatchObject(missing);
    expect(await handlers['batch.retry']({ batchId: 'gone', takes: [] })).toMatchObject(missing);
    expect(await handlers['row.detail']({ batchId: 'gone', key: 1 })).toMatchObject(missing);
    expect(await handlers['file.locate']({ fileId: '1-1' })).toMatchObject(missing);
    expect(await handlers['batch.export']({ batchId: 'gone' })).toMatchObject(missing);
    const create = { sheetId: 'gone', name: 'x', folder, rehearsal: true, profile: DEFAULT_PROFILE, start: true };
    expect(await handlers['batch.create'](create)).toMatchObject(missing);
  });
});

test('a sheet that holds the key: its row is kept back, and the key is not kept; a rehearsal’s own key is no secret', async () => {
  const folder = temporaryFolder();
  const opened = await open(folder);
  const key = 'canary-key-in-a-sheet-9d1f';
  await value(opened.service.handlers['key.set']({ origin: 'https://gateway.example', key }));
  opened.engine.setRehearsalKey('http://127.0.0.1:9', 'lullaby');
  const path = join(folder, 'sheet.csv');
  writeFileSync(path, `row,operation,prompt\none,lyrics,A lullaby with ${key} in it\ntwo,lyrics,A lullaby\n`);
  const sheet = await sheetOf(opened.service.handlers['sheet.open']({ sheetId: 's', path, name: 'Sheet' }));
  expect(sheet.problems).toMatchObject([{ code: 'contains-key', row: 'one' }]);
  expect(sheet.runnableRows).toBe(1);
  expect(JSON.stringify(sheet)).not.toContain(key);
  await opened.stop();
});

describe('a file that was imported before', () => {
  async function bringIn(opened: Running, folder: string, name: string, rehearsal: boolean): Promise<string> {
    await openSheet(opened, folder);
    const input = { sheetId: 's', name, folder: join(folder, name), rehearsal, profile: DEFAULT_PROFILE, start: false };
    return (await value(opened.service.handlers['batch.create'](input))).id;
  }

  async function lookAgain({ service }: Running, path: string) {
    return (await sheetOf(service.handlers['sheet.open']({ sheetId: 'again', path, name: 'Again' }))).earlier;
  }

  test('is said to be one, by the newest batch that is not a rehearsal', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const path = join(folder, 'sheet.csv');
    writeFileSync(path, SHEET);
    expect(await lookAgain(opened, path)).toBeUndefined();
    const rehearsed = await bringIn(opened, folder, 'Rehearsed', true);
    expect(await lookAgain(opened, path)).toMatchObject({ batchId: rehearsed, name: 'Rehearsed', rehearsal: true });
    await bringIn(opened, folder, 'Paid', false);
    const newest = await bringIn(opened, folder, 'Paid twice', false);
    await bringIn(opened, folder, 'Rehearsed later', true);
    const { createdAt } = (await opened.engine.store.batch(newest)) ?? {};
    expect(await lookAgain(opened, path)).toEqual({
      batchId: newest,
      name: 'Paid twice',
      createdAt,
      rehearsal: false,
      isStarted: false,
    });
  });

  test('is told from another file with the same rows', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    await bringIn(opened, folder, 'First', false);
    const other = join(folder, 'other.csv');
    writeFileSync(other, SHEET);
    expect(await lookAgain(opened, other)).toBeUndefined();
  });
});

test('rows with a very long text are counted, also where other problems fill the list; those that do not run are not', async () => {
  const folder = temporaryFolder();
  const long = 'la '.repeat(40_000);
  const wrong = Array.from({ length: 600 }, (_, index) => `wrong-${index},nonsense-${index},x,`);
  const rows = [...wrong, `a,lyrics,${long},`, `b,lyrics,${long},yes`, 'c,lyrics,short,'];
  const path = join(folder, 'long.csv');
  writeFileSync(path, ['row,operation,prompt,skip', ...rows].join('\n'));
  const { handlers } = (await open(folder)).service;
  const sheet = await sheetOf(handlers['sheet.open']({ sheetId: 's', path, name: 'Long' }));
  expect(sheet.problems.map(({ code }) => code)).not.toContain('value-long');
  expect(sheet.longRows).toBe(1);
});

describe('the encoding of a sheet', () => {
  const LATIN = Buffer.from('row,operation,prompt\none,lyrics,Ein Lied für Möwen\n', 'latin1');

  async function openLatin() {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const path = join(folder, 'latin.csv');
    writeFileSync(path, LATIN);
    const { handlers } = opened.service;
    return {
      opened,
      folder,
      handlers,
      sheet: await sheetOf(handlers['sheet.open']({ sheetId: 's', path, name: 'L' })),
    };
  }

  test('is shown, and another one reads the same sheet again, which a batch is then made of', async () => {
    const { opened, folder, handlers, sheet } = await openLatin();
    expect(sheet).toMatchObject({ encoding: 'windows-1252', format: 'csv' });
    const reread = await sheetOf(handlers['sheet.reread']({ sheetId: 's', encoding: 'gbk' }));
    expect(engineRequests['sheet.reread'].output.parse(reread)).toEqual(reread);
    expect(reread).toMatchObject({ sheetId: 's', name: 'L', encoding: 'gbk', format: 'csv', problems: [] });
    const shown = reread.preview.rows[0]?.[2] ?? '';
    expect(shown).not.toBe(sheet.preview.rows[0]?.[2]);
    const { id } = await createBatch(opened, folder);
    const detail = await value(handlers['row.detail']({ batchId: id, key: await keyAt(opened, id, 0) }));
    expect(JSON.parse(detail.body)).toMatchObject({ prompt: shown });
  });

  test('that the file does not have leaves no row, and the choice of another one', async () => {
    const { handlers } = await openLatin();
    const unreadable = await value(handlers['sheet.reread']({ sheetId: 's', encoding: 'utf-8' }));
    expect(unreadable).toMatchObject({
      encoding: 'utf-8',
      format: 'csv',
      rowCount: 0,
      problems: [{ severity: 'error' }],
    });
    const right = await value(handlers['sheet.reread']({ sheetId: 's', encoding: 'windows-1252' }));
    expect(right).toMatchObject({ runnableRows: 1, preview: { rows: [['one', 'lyrics', 'Ein Lied für Möwen']] } });
  });

  test('cannot be chosen for a sheet that is not open, nor for a file that is no text', async () => {
    const folder = temporaryFolder();
    const { handlers } = (await open(folder)).service;
    const gone = await handlers['sheet.reread']({ sheetId: 'gone', encoding: 'gbk' });
    expect(gone).toMatchObject({ ok: false, error: { code: 'not-found' } });
    const path = join(folder, 'no-text.csv');
    writeFileSync(path, Buffer.from('%PDF-1.7\n\0\0\0'));
    expect((await sheetOf(handlers['sheet.open']({ sheetId: 's', path, name: 'P' }))).encoding).toBeUndefined();
    const refused = await handlers['sheet.reread']({ sheetId: 's', encoding: 'gbk' });
    expect(refused).toMatchObject({ ok: false, error: { code: 'refused' } });
  });
});
