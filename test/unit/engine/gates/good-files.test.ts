import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../../../../src/engine/gates/run-program.ts';
import { renderMedia, type MediaFormat } from '../../../../src/gateway-sim/media/render.ts';
import type { OtherTake } from '../../../../src/shared/domain/gates/measured-file.ts';
import { operationOf, type OperationPath } from '../../../../src/shared/domain/operations/operations.ts';
import { gatesOn } from '../../../support/gate-files.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const MADE: readonly (readonly [MediaFormat, OperationPath])[] = [
  ['mp3', 'musicgen/music/generate'],
  ['wav', 'musicgen/music/wav'],
  ['mp4', 'videogen-a/video/generate'],
  ['png', 'videogen-b/image/generate'],
];
/** Files of each format; every tenth in full detail. */
const OF_EACH = 50;

const isMissing = process.platform !== 'linux' && findProgram('ffmpeg') === undefined;

describe.skipIf(isMissing)('the gates stay silent on 200 good files', { timeout: 900_000 }, () => {
  it.each(MADE)('%s', async (format, operation) => {
    const folder = temporaryFolder();
    const flagged: unknown[] = [];
    const others: OtherTake[] = [];
    const check = async (at: number): Promise<void> => {
      const task = {
        seq: at,
        code: `code-${at}`,
        operation: operationOf(operation),
        body: { prompt: `a lake at dawn, ${at}` },
        seed: at * 7919,
        submittedAt: 0,
        startsAt: 0,
        finishesAt: 0,
        isBlack: false,
        polls: 0,
        downloads: [],
        versions: [],
      };
      const name = `${at}.${format}`;
      const detail = at % 10 === 0 ? 'full' : 'tiny';
      writeFileSync(path.join(folder, name), renderMedia({ task, index: 0, format, version: 0, detail }));
      const { flags, unchecked } = await gatesOn(folder, name, format, {}, others);
      if (flags.length > 0 || unchecked.length > 0) flagged.push([name, flags, unchecked]);
    };
    for (let at = 0; at < OF_EACH; at += 2) await Promise.all([check(at), check(at + 1)]);
    expect(flagged).toEqual([]);
  });
});
