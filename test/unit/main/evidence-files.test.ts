import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Evidence } from '../../../src/engine/store/tasks/evidence.ts';
import { toRowEvidence } from '../../../src/main/services/evidence-view.ts';
import { causeWithoutContent } from '../../../src/main/shell/log.ts';
import { replaceFile } from '../../../src/main/engine-process/store-reader.ts';
import { rowEvidence } from '../../../src/shared/ipc/rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function evidenceWith(bytes: Buffer, text: string | undefined): Evidence {
  const body = { base64: bytes.toString('base64'), ...(text === undefined ? {} : { text }) };
  const answer = { httpStatus: 502, headers: { 'x-trace': '1' }, body, truncated: false };
  const attempt = {
    startedAt: '2026-11-21T22:00:00.000Z',
    origin: 'https://gateway.example',
    keyFingerprint: 'f',
    body,
    bodySha256: 's',
    answer,
  };
  return {
    row: 'one',
    take: 1,
    operation: 'musicgen/music/lyrics',
    status: 'submit-unknown',
    attempts: [attempt],
    events: [],
  };
}

describe('evidence in the window', () => {
  test('is exact, also where it is no text', () => {
    const bytes = Buffer.from([0x00, 0xff, 0x1b]);
    const view = toRowEvidence([evidenceWith(bytes, undefined)]);
    expect(rowEvidence.parse(view)).toEqual(view);
    expect(view.takes[0]?.attempts[0]?.answer?.body).toEqual({ size: 3, base64: 'AP8b', isCut: false });
  });

  test('has the key under which a request was sent', () => {
    const idempotency = { header: 'Idempotency-Key', key: 'k-1', baseUrl: 'https://gateway.example/api' };
    const evidence = evidenceWith(Buffer.from('x'), 'x');
    const view = toRowEvidence([
      { ...evidence, attempts: evidence.attempts.map((attempt) => ({ ...attempt, idempotency })) },
    ]);
    expect(rowEvidence.parse(view)).toEqual(view);
    expect(view.takes[0]?.attempts[0]?.idempotency).toEqual({ header: 'Idempotency-Key', key: 'k-1' });
  });

  test('is cut where it is long, and says so', () => {
    const text = 'x'.repeat(70_000);
    const view = toRowEvidence([evidenceWith(Buffer.from(text), text)]);
    const body = view.takes[0]?.attempts[0]?.body;
    expect(body).toMatchObject({ size: 70_000, isCut: true });
    expect(body?.text).toHaveLength(65_536);
    expect(Buffer.from(body?.base64 ?? '', 'base64')).toHaveLength(65_536);
  });
});

describe('a file that the user chose to have written', () => {
  test('is for its owner alone, and replaces what was there', async () => {
    const file = join(temporaryFolder(), 'a.json');
    writeFileSync(file, 'old', { mode: 0o644 });
    expect(await replaceFile(file, 'new')).toBeUndefined();
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('says what is in its way', async () => {
    const file = join(tmpdir(), 'nocturne-no-such-folder', 'a.json');
    expect(await replaceFile(file, 'x')).toContain(file);
  });
});

describe('what is logged of a process that ended', () => {
  test('is the kind of the error and its places, never what it speaks of', () => {
    const text = [
      'node:internal/process:1',
      "SyntaxError [ERR_BAD]: Unexpected token in 'a prompt of the user'",
      '    at parse (file:///app/out/main/engine.js:1:2)',
      'A prompt on a line of its own',
    ].join('\n');
    expect(causeWithoutContent(text)).toBe('SyntaxError [ERR_BAD] ⏎ at parse (file:///app/out/main/engine.js:1:2)');
  });
});
