import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { forkedSheetReader } from '../../src/engine/sheet-files/reader-process/load-sheet.ts';
import { programFolderOf, rightsToRead } from '../../src/engine/sheet-files/reader-process/reader-rights.ts';
import { readSheet } from '../../src/engine/sheet-files/read/read-sheet.ts';
import { packRecords, unpackRecords } from '../../src/engine/sheet-files/read/sheet-parts.ts';
import { READER_LIMITS, sheetReaderOf } from '../../src/engine/sheet-files/reader-process/sheet-reader.ts';
import type { ReaderLimits, SheetReader } from '../../src/engine/sheet-files/reader-process/sheet-reader.ts';
import { startReaderThread } from '../../src/engine/sheet-files/reader-process/serve-sheet.ts';
import { fixture, sheetFile } from '../support/sheet-files.ts';
import { sheetXml, workbookParts, zipParts } from '../support/workbook-parts.ts';
import { CHARACTER } from '../support/any-text.ts';

vi.setConfig({ testTimeout: 60_000 });

/** The readers that this process has started and that are still there. */
function readersAlive(): readonly string[] {
  const lines = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' });
  return lines.split('\n').filter((line) => line.includes('sheet-reader-process'));
}

describe.each([
  ['in a thread', (limits?: ReaderLimits): SheetReader => sheetReaderOf(startReaderThread, limits)],
  ['in a process', forkedSheetReader],
])('a reader %s', (_name, readerWith) => {
  test('gives what the file says, as if it were read here', async () => {
    for (const name of ['corpus/libreoffice.ods', 'corpus/xlsxwriter.xlsx', 'corpus/libreoffice-gbk.csv']) {
      expect(await readerWith().read(fixture(name), {})).toEqual(await readSheet(fixture(name)));
    }
    const asked = { encoding: 'windows-1252', delimiter: ';' } as const;
    const file = sheetFile(Buffer.from('operation;prompt\nlyrics;Grüße, \uD83C', 'latin1'));
    expect(await readerWith().read(file, asked)).toEqual(await readSheet(file, asked));
  });

  test('tells how far it is', async () => {
    const file = sheetFile(`operation,prompt\n${'lyrics,x\n'.repeat(25_000)}`);
    const told: number[] = [];
    await readerWith().read(file, {}, { onProgress: ({ rows }) => told.push(rows) });
    expect(told.length).toBeGreaterThan(5);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(told.at(-1)).toBe(25_000);
  });

  test('tells the beginning first, to whoever wants it', async () => {
    const file = sheetFile(`operation,prompt\n${'lyrics,x\n'.repeat(100_000)}`);
    const told: string[] = [];
    const read = await readerWith().read(
      file,
      {},
      {
        onBeginning: ({ records, source }) => told.push(`${records.length} of a ${source.format}`),
        onProgress: () => told.push('more'),
      },
    );
    expect(told.slice(0, 2)).toEqual(['100 of a csv', 'more']);
    expect(told.filter((what) => what !== 'more')).toHaveLength(1);
    expect(read).toEqual(await readSheet(file));
  });

  test('reads no further for whoever has gone', async () => {
    const file = sheetFile(`operation,prompt\n${'lyrics,x\n'.repeat(500_000)}`);
    const gone = new AbortController();
    const told: number[] = [];
    const read = await readerWith().read(
      file,
      {},
      {
        signal: gone.signal,
        onBeginning: () => gone.abort(),
        onProgress: ({ rows }) => told.push(rows),
      },
    );
    expect(read).toMatchObject({ ok: false, error: { code: 'unreadable' } });
    expect(told).toEqual([]);
    expect(await readerWith().read(file, {}, { signal: gone.signal })).toMatchObject({ ok: false });
    await vi.waitFor(() => expect(readersAlive()).toEqual([]));
  });

  test('refuses what it refuses here', async () => {
    expect(await readerWith().read(sheetFile(''), {})).toMatchObject({ ok: false, error: { code: 'empty' } });
    expect(await readerWith().read('/no/such/file.csv', {})).toMatchObject({
      ok: false,
      error: { code: 'unreadable' },
    });
  });

  test('is ended when it uses more than its memory, and the next one works', async () => {
    // Every row of this has a million characters of text of its own, under the limits of sheets.
    const row = `<row><c t="inlineStr"><is><t>${'ä€'.repeat(500_000)}</t></is></c></row>`;
    const xml = sheetXml([['operation']]).replace('</sheetData>', `${row.repeat(60)}</sheetData>`);
    const file = sheetFile(zipParts(workbookParts(xml)), 'xlsx');
    const small = { ...READER_LIMITS, memoryMb: 32 };
    const read = await readerWith(small).read(file, {});
    expect(read.ok ? '' : read.error.message).toContain('more than 32 MiB of memory');
    expect(await readerWith(small).read(sheetFile('operation,prompt\nlyrics,x'), {})).toMatchObject({ ok: true });
  });

  test('is ended when it takes longer than its time', async () => {
    const file = sheetFile(`operation,prompt\n${'lyrics,x\n'.repeat(1_000_000)}`);
    const read = await readerWith({ ...READER_LIMITS, timeMs: 20 }).read(file, {});
    expect(read).toMatchObject({ ok: false, error: { code: 'too-large' } });
    expect(read.ok ? '' : read.error.message).toContain('0.02 seconds');
  });
});

describe('a reader in a process', () => {
  test('has no environment, and is gone when it has read', async () => {
    vi.stubEnv('NOCTURNE_AI_KEY', 'canary-key-8d1f');
    let environment: string | undefined;
    const onProgress = (): void => {
      const [alive] = readersAlive();
      const pid = /\d+/.exec(alive ?? '')?.[0];
      environment ??= pid === undefined ? undefined : readFileSync(`/proc/${pid}/environ`, 'utf8');
    };
    const file = sheetFile(`operation,prompt\n${'lyrics,x\n'.repeat(20_000)}`);
    await forkedSheetReader().read(file, {}, { onProgress });
    vi.unstubAllEnvs();
    expect(environment).toBeDefined();
    expect(environment).not.toContain('canary');
    expect(environment?.split('\0').filter((entry) => !entry.startsWith('NODE_CHANNEL'))).toEqual(['']);
    await vi.waitFor(() => expect(readersAlive()).toEqual([]));
  });

  test.skipIf(process.platform !== 'linux')('may read its sheet and its program, and nothing else', async () => {
    const file = sheetFile(`operation,prompt\n${'lyrics,x\n'.repeat(20_000)}`);
    const other = sheetFile('operation,prompt\nlyrics,x\n');
    let line: string | undefined;
    let folder: string | undefined;
    const onProgress = (): void => {
      line ??= readersAlive()[0];
      folder ??= readlinkSync(`/proc/${/\d+/.exec(line ?? '')?.[0]}/cwd`);
    };
    await forkedSheetReader().read(file, {}, { onProgress });
    // Newer versions of Node let its thread read its folder, too: it is the program's, whatever the user's is.
    expect(folder).toBe(programFolderOf(import.meta.url));
    const rights = rightsToRead(file, programFolderOf(import.meta.url));
    for (const right of rights) expect(line).toContain(right);
    const script = `
      const { readFileSync, writeFileSync } = require('node:fs');
      const isRefused = (work) => { try { work(); return false; } catch ({ code }) { return code === 'ERR_ACCESS_DENIED'; } };
      console.log(JSON.stringify([
        isRefused(() => readFileSync(${JSON.stringify(file)})),
        isRefused(() => readFileSync(${JSON.stringify(other)})),
        isRefused(() => writeFileSync(${JSON.stringify(file)}, '')),
        isRefused(() => require('node:child_process').spawnSync('true')),
      ]));`;
    const said = execFileSync(process.execPath, [...rights, '-e', script], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(JSON.parse(said)).toEqual([false, true, true, true]);
  });

  test('that dies amid its work is said to have, and the next one works', async () => {
    const file = sheetFile(`operation,prompt\n${'lyrics,x\n'.repeat(500_000)}`);
    const onProgress = (): void => {
      for (const line of readersAlive()) process.kill(Number(/\d+/.exec(line)?.[0]), 'SIGSEGV');
    };
    const read = await forkedSheetReader().read(file, {}, { onProgress });
    expect(read).toMatchObject({ ok: false, error: { code: 'unreadable' } });
    expect(read.ok ? '' : read.error.message).toBe(
      `${file} could not be read: its reader ended without an answer (SIGSEGV).`,
    );
    expect(await forkedSheetReader().read(sheetFile('operation,prompt\nlyrics,x'), {})).toMatchObject({ ok: true });
  });
});

test('records are the same after their way', () => {
  const record = fc.record({
    line: fc.integer({ min: 1, max: 1_048_576 }),
    cells: fc.array(fc.string({ unit: CHARACTER })),
  });
  fc.assert(
    fc.property(fc.array(record), (records) => {
      expect(unpackRecords(packRecords(records))).toEqual(records);
    }),
  );
});
