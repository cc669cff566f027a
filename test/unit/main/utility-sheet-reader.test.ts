import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { readSheet } from '../../../src/engine/sheet-files/read/read-sheet.ts';
import { serveSheet } from '../../../src/engine/sheet-files/reader-process/serve-sheet.ts';
import type { SheetReaderInput } from '../../../src/engine/sheet-files/reader-process/sheet-reader.ts';
import { UtilitySheetReader, type ReaderPort } from '../../../src/main/engine-process/utility-sheet-reader.ts';
import { fixture, sheetFile } from '../../support/sheet-files.ts';

/** A port with a reader behind it. */
class ScriptedPort extends EventEmitter implements ReaderPort {
  asked: SheetReaderInput | undefined;
  isClosed = false;
  readonly #answer: (input: SheetReaderInput, port: ScriptedPort) => void;

  constructor(answer: (input: SheetReaderInput, port: ScriptedPort) => void) {
    super();
    this.#answer = answer;
  }

  postMessage(input: unknown): void {
    this.asked = input as SheetReaderInput;
    this.#answer(this.asked, this);
  }
  start(): void {}
  close(): void {
    this.isClosed = true;
  }
}

function readerWith(answer: (input: SheetReaderInput, port: ScriptedPort) => void) {
  const port = new ScriptedPort(answer);
  const told: string[] = [];
  const reader = new UtilitySheetReader((message) => {
    told.push(message.kind);
    if (message.kind === 'sheetReaderWanted') reader.give(message.id, port);
  });
  return { reader, port, told };
}

describe('the application’s reader of sheets', () => {
  test('asks main for a process, gives it the path and the limits, and is done with it at the end', async () => {
    const { reader, port, told } = readerWith((input, at) =>
      serveSheet(input, (message) => at.emit('message', { data: message })),
    );
    const file = fixture('corpus/libreoffice.ods');
    const more = { sheet: 'Tonight', key: 'secret' };
    const read = await reader.read(file, more);
    expect(read).toEqual(await readSheet(file, { sheet: 'Tonight' }));
    expect(port.asked).toEqual({
      path: file,
      work: { kind: 'read', options: { sheet: 'Tonight', encoding: undefined, delimiter: undefined } },
      limits: { memoryMb: 512, timeMs: 60_000 },
      language: 'en',
    });
    expect(told).toEqual(['sheetReaderWanted', 'sheetReaderDone']);
    expect(port.isClosed).toBe(true);
  });

  test('refuses a file whose reader the system has ended', async () => {
    const { reader, told } = readerWith((_input, port) => {
      port.emit('message', { data: { kind: 'started' } });
      port.emit('close');
    });
    const read = await reader.read(sheetFile('a'), {});
    expect(read).toMatchObject({ ok: false, error: { code: 'unreadable' } });
    expect(read.ok ? '' : read.error.message).toContain('could not be read: its reader ended without an answer.');
    expect(told).toEqual(['sheetReaderWanted', 'sheetReaderDone']);
  });

  test('says so where a reader does not start', async () => {
    const { reader, told } = readerWith((_input, port) => port.emit('close'));
    const read = await reader.read(sheetFile('a'), {});
    expect(read.ok ? '' : read.error.message).toContain('could not be read: its reader did not start.');
    expect(told).toEqual(['sheetReaderWanted', 'sheetReaderDone']);
  });
});
