import { describe, expect, test } from 'vitest';
import { judgeDurability } from '../../crash/durability-gate.ts';
import { readStraceLog } from '../../crash/strace-log.ts';

const BODY = { mark: 'row1 at night', sha256: 'ab12cd34' };
const WAL = '21</data/nocturne.db-wal>';

const INTENT = `1  pwrite64(${WAL}, "...ab12cd34...", 4096, 32) = 4096`;
const LOG_SYNC = `1  fdatasync(${WAL}) = 0`;
const POST = '1  write(25<socket:[77]>, "{\\"prompt\\":\\"row1 at night\\"}", 26) = 26';
const PART = '2  pwrite64(30</media/image/1.1.part>, "PNG", 3, 0) = 3';
const PART_SYNC = '3  fsync(30</media/image/1.1.part>) = 0';
const LINK = '2  link("/media/image/1.1.part", "/media/image/row1.png") = 0';
const FOLDER_SYNC = '3  fsync(31</media/image>) = 0';
const DONE = `1  pwrite64(${WAL}, "{\\"kind\\":\\"output-verified\\",\\"index\\":1,\\"placement\\":{\\"path\\":\\"image/row1.png\\"", 4096, 32) = 4096`;

const SOUND = [INTENT, LOG_SYNC, POST, PART, PART_SYNC, LINK, FOLDER_SYNC, DONE];

function judge(lines: readonly string[]) {
  return judgeDurability(readStraceLog(lines.join('\n')), [BODY]);
}

describe('the order of system calls', () => {
  test('is accepted where everything is synced before it is relied on', () => {
    expect(judge(SOUND)).toEqual({ posts: 1, filesDone: ['image/row1.png'], violations: [] });
  });

  test.each([
    ['its intent', [LOG_SYNC], 'left before its intent was synced'],
    ['the file', [PART_SYNC], 'got its name before its bytes were synced'],
    ['the folder', [FOLDER_SYNC], 'was called done before its folder was synced'],
  ])('is refused where the sync of %s is missing', (_, missing, words) => {
    const { violations } = judge(SOUND.filter((line) => !missing.includes(line)));
    expect(violations).toEqual([expect.stringContaining(words)]);
  });

  test.each([
    ['the log', LOG_SYNC, POST, 'intent was synced'],
    ['the file', PART_SYNC, LINK, 'bytes were synced'],
    ['the folder', FOLDER_SYNC, DONE, 'folder was synced'],
  ])('is refused where the sync of %s comes too late', (_, sync, relied, words) => {
    const late = SOUND.filter((line) => line !== sync).flatMap((line) => (line === relied ? [relied, sync] : [line]));
    expect(judge(late).violations).toEqual([expect.stringContaining(words)]);
  });

  test('is refused where the POST leaves before its intent is written', () => {
    expect(judge([POST, INTENT, LOG_SYNC]).violations).toEqual([
      expect.stringContaining('before its intent was written'),
    ]);
  });

  test('takes a sync for done when it ends, not when it begins', () => {
    const [begun, ended] = [`1  fdatasync(${WAL} <unfinished ...>`, '1  <... fdatasync resumed>) = 0'];
    const other = POST.replace(/^1/u, '4');
    expect(judge([INTENT, begun, ended, other]).violations).toEqual([]);
    expect(judge([INTENT, begun, other, ended]).violations).toEqual([expect.stringContaining('intent was synced')]);
  });

  test('takes a sync that failed for none', () => {
    const failed = `1  fdatasync(${WAL}) = -1 EIO (Input/output error)`;
    expect(judge([INTENT, failed, POST]).violations).toHaveLength(1);
  });

  test('says what it saw, so that an empty log proves nothing', () => {
    expect(judge([])).toEqual({ posts: 0, filesDone: [], violations: [] });
  });
});
