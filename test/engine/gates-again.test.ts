/** The whole engine, a gateway whose films are black one time in three, and gates by the real ffmpeg. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { whyOverCap } from '../../src/cli/doors/door-cap.ts';
import { createEngine, loadSheet } from '../../src/engine/index.ts';
import { listOf } from '../../src/shared/domain/base/result.ts';
import { manifestFilesOf } from '../../src/shared/domain/files/manifest.ts';
import { profileSchema } from '../../src/shared/domain/gateway/profile.ts';
import { FastClock } from '../faults/fast-clock.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KEY = 'key-of-the-black-films';
/** Slow enough for ffmpeg, which is given its times by the same clock. */
const SPEED = 10;
const ROWS = 9;
/** Nine films, of which one in three is black and is rendered again, like that: with these, nine are good. */
const ENOUGH = 14;

test('with “render again”, a gateway of black films gives a good file for each row, and no limit is passed for it', async () => {
  const dir = temporaryFolder();
  const nth = Array.from({ length: 10 }, (_, i) => 3 * i + 1);
  const started = await startObservedGateway({
    behaviour: {
      timeScale: 0.001,
      media: { detail: 'tiny' },
      auth: { keys: [KEY] },
      faults: [{ kind: 'black', when: 'submit', nth }],
    },
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  const gateway = started.value;
  const opened = await createEngine({ dataDir: path.join(dir, 'data'), clock: new FastClock(SPEED) });
  if (!opened.ok) throw new Error(opened.error.message);
  const engine = opened.value;
  onTestFinished(async () => {
    await engine.stop();
    await gateway.close();
  });
  engine.setKey(new URL(gateway.baseUrl).origin, KEY);
  const lines = Array.from({ length: ROWS }, (_, i) => `r${i + 1},video-b,a lighthouse in the rain ${i + 1}`);
  const file = path.join(dir, 'films.csv');
  writeFileSync(file, ['row,operation,prompt', ...lines, ''].join('\n'));
  const status = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };
  const profile = profileSchema.parse({
    baseUrl: gateway.baseUrl,
    status: { musicgen: status, 'videogen-a': status, 'videogen-b': status },
    limits: { requestsPerSecond: 1000 },
    deadlines: { submitSeconds: 15 * SPEED, pollSeconds: 15 * SPEED, taskHours: 24 },
  });
  const gates = { on: { black: 50 }, again: 3 };
  const settings = { folder: path.join(dir, 'media'), profile, filename: '{row}', rehearsal: false, gates };
  const batch = await engine.createBatch({
    sheet: await loadSheet(file),
    name: 'films',
    settings: { ...settings, maxSubmits: ROWS + 1 },
  });
  const filesOf = async () => (await listOf(engine.views.exportRows(batch.id))).flatMap(manifestFilesOf);
  // The cap of a door holds all that may be sent, each row four times.
  const alone = { ...batch, settings };
  expect((await whyOverCap(engine, { requests: 4 * ROWS - 1 }, alone))?.message).toContain('needs 36 paid requests');
  expect(await whyOverCap(engine, { requests: 4 * ROWS }, alone)).toBeUndefined();

  // Where the limit is too low it is kept, and each row has at least had its first rendering.
  await engine.start(batch.id);
  const first = await engine.settled(batch.id);
  expect(first).toMatchObject({ state: 'paused', pause: { failure: { code: 'CAP_REACHED' } } });
  expect(gateway.chargeLog()).toHaveLength(ROWS + 1);
  expect(new Set((await filesOf()).map(({ row }) => row)).size).toBe(ROWS);

  await engine.config.setCap(batch.id, ENOUGH);
  await engine.start(batch.id);
  expect(await engine.settled(batch.id)).toMatchObject({ state: 'finished' });
  expect(gateway.chargeLog()).toHaveLength(ENOUGH);
  const tasks = await listOf(engine.store.tasksByStatus(['done'], batch.id));
  expect(tasks.map(({ rowId, outputs }) => [rowId, outputs.map(({ flags }) => flags)])).toEqual(
    Array.from({ length: ROWS }, (_, i) => [`r${i + 1}`, [[]]]),
  );
  // What was flagged stays, and says so.
  const earlier = (await filesOf()).filter(({ superseded }) => superseded === true);
  expect(earlier.map(({ flags }) => flags?.map(({ gate }) => gate))).toEqual(
    Array.from({ length: ENOUGH - ROWS }, () => ['black']),
  );
});
