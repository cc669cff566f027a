import { describe, expect, test } from 'vitest';
import type { FileMeasurer, FileToMeasure } from '../../src/engine/ports.ts';
import { listOf } from '../../src/shared/domain/base/result.ts';
import { manifestFilesOf } from '../../src/shared/domain/files/manifest.ts';
import { USUAL_GATES } from '../../src/shared/domain/gates/gate-settings.ts';
import type { DecodedFile } from '../../src/shared/domain/gates/measured-file.ts';
import type { Output } from '../../src/shared/domain/task/task.ts';
import { NightHarness, row, rows } from '../support/night-harness.ts';

const SOUND: DecodedFile = { seconds: 60, errors: 0, isBroken: false, loudness: -14, clipped: 0, silent: 0 };

/** Measures songs of 60 s, of which some are silent. */
class ScriptedMeasurer implements FileMeasurer {
  readonly measured: string[] = [];
  isLate = false;
  isSilent: (file: FileToMeasure) => boolean = () => false;
  /** What each measurement waits for. */
  gate: (signal: AbortSignal) => Promise<void> = () => Promise.resolve();

  async measure(file: FileToMeasure, signal: AbortSignal): ReturnType<FileMeasurer['measure']> {
    this.measured.push(file.path);
    await this.gate(signal);
    const { bytes, sha256 } = file;
    if (this.isLate) return { kind: 'music', bytes, sha256, decoded: { not: 'late' } };
    const decoded = { ...SOUND, silent: this.isSilent(file) ? 97.5 : 0 };
    return { kind: 'music', bytes: bytes + 1000, sha256, seconds: 60, decoded };
  }
}

const FLAG = { gate: 'silence', message: '97.5 % of it is silent.' };

function setUp() {
  const night = new NightHarness();
  const measurer = new ScriptedMeasurer();
  night.measurer = measurer;
  const outputs = async (id: string): Promise<readonly Output[]> =>
    (await night.tasks(id)).flatMap((task) => task.outputs);
  const checked = (id: string): Promise<void> =>
    night.clock.advanceUntil(async () => (await outputs(id)).every(({ flags }) => flags !== undefined));
  return { night, measurer, outputs, checked };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
}

describe('gates in the night', () => {
  test('what they say is kept with the file; its row is done, and says so in the grid and in the manifest', async () => {
    const { night, measurer, outputs, checked } = setUp();
    measurer.isSilent = ({ path }) => path.includes('r2');
    const id = await night.bringIn(rows(3), { gates: USUAL_GATES });
    await night.scheduler.start(id);
    await night.untilRest(id);
    await checked(id);
    expect(await night.statuses(id)).toEqual(['done', 'done', 'done']);
    expect((await outputs(id)).map(({ flags }) => flags)).toEqual([[], [FLAG], []]);
    expect(measurer.measured).toHaveLength(3);
    const exported = await listOf(night.opened.views.exportRows(id));
    expect(exported.flatMap(manifestFilesOf).map(({ flags }) => flags)).toEqual([undefined, [FLAG], undefined]);
    const shown = await night.opened.views.rowsByIds(id, ['r1', 'r2', 'r3']);
    expect(shown.map(({ status, problem }) => [status, problem?.code])).toEqual([
      ['done', undefined],
      ['done', 'flagged'],
      ['done', undefined],
    ]);
    expect(shown[1]?.problem?.message).toBe('Silence: music/r2.mp3. 97.5 % of it is silent.');
    expect(night.bugs).toEqual([]);
  });

  test('a batch without gates has none of its files looked at', async () => {
    const { night, measurer } = setUp();
    const id = await night.bringIn(rows(2));
    await night.scheduler.start(id);
    await night.untilRest(id);
    await night.clock.advance(60_000);
    expect(measurer.measured).toEqual([]);
  });

  test('no row waits for them: the night is over while a file is still being measured, and whoever asks waits for it', async () => {
    const { night, measurer, outputs } = setUp();
    let release = (): void => undefined;
    measurer.gate = () => new Promise((resolve) => (release = resolve));
    const id = await night.bringIn(rows(1), { gates: USUAL_GATES });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.state(id)).toBe('finished');
    let isSettled = false;
    const settled = night.scheduler.settled(id).then(() => (isSettled = true));
    await night.clock.advance(60_000);
    expect([isSettled, (await outputs(id))[0]?.flags]).toEqual([false, undefined]);
    release();
    await night.clock.advanceUntil(() => Promise.resolve(isSettled));
    await settled;
    expect((await outputs(id))[0]?.flags).toEqual([]);
  });

  test('whoever asks waits ten minutes for checks that take for ever, and no longer', async () => {
    const { night, measurer, outputs } = setUp();
    measurer.gate = aborted;
    const id = await night.bringIn(rows(3), { gates: USUAL_GATES });
    await night.scheduler.start(id);
    await night.untilRest(id);
    let isSettled = false;
    const settled = night.scheduler.settled(id).then(() => (isSettled = true));
    await night.clock.advance(9 * 60_000);
    expect(isSettled).toBe(false);
    await night.clock.advance(60_000);
    await night.clock.advanceUntil(() => Promise.resolve(isSettled));
    await settled;
    expect((await outputs(id)).map(({ flags }) => flags)).toEqual([undefined, undefined, undefined]);
  });

  test('a file whose check was late is not begun again at each start', async () => {
    const { night, measurer, outputs, checked } = setUp();
    measurer.isLate = true;
    const id = await night.bringIn(rows(1), { gates: { on: { silence: 50 } } });
    await night.scheduler.start(id);
    await night.untilRest(id);
    await checked(id);
    expect((await outputs(id))[0]?.flags).toEqual([]);
    night.open();
    await night.scheduler.start(id);
    await night.clock.advance(60_000);
    expect(measurer.measured).toHaveLength(1);
  });

  test('the end of the night ends them, and after a kill what is left is checked at the next start, once', async () => {
    const { night, measurer, outputs, checked } = setUp();
    measurer.gate = aborted;
    const id = await night.bringIn(rows(5), { gates: USUAL_GATES });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(measurer.measured).toHaveLength(2);
    expect(await night.scheduler.end()).toEqual([]);
    expect((await outputs(id)).every(({ flags }) => flags === undefined)).toBe(true);
    // The next process is killed while it measures the first two.
    night.open();
    await night.scheduler.start(id);
    await night.clock.advance(1000);
    expect(measurer.measured).toHaveLength(4);
    night.open();
    measurer.gate = () => Promise.resolve();
    measurer.isSilent = () => true;
    await night.scheduler.start(id);
    await night.scheduler.start(id);
    await checked(id);
    expect(measurer.measured).toHaveLength(9);
    expect((await outputs(id)).map(({ flags }) => flags)).toEqual(Array.from({ length: 5 }, () => [FLAG]));
    expect(await night.statuses(id)).toEqual(Array.from({ length: 5 }, () => 'done'));
    expect(night.gateway.submits).toHaveLength(5);
  });

  test('what goes wrong in a measurement touches no row', async () => {
    const { night, measurer, outputs } = setUp();
    measurer.gate = () => Promise.reject(new Error('measuring has a bug'));
    const id = await night.bringIn(rows(2), { gates: USUAL_GATES });
    await night.scheduler.start(id);
    await night.untilRest(id);
    await night.clock.advance(1000);
    expect([await night.state(id), await night.statuses(id)]).toEqual(['finished', ['done', 'done']]);
    expect(night.bugs).toHaveLength(2);
    expect((await outputs(id)).map(({ flags }) => flags)).toEqual([undefined, undefined]);
  });

  test('without ffmpeg nothing is noted, and the next start looks again', async () => {
    const { night, measurer, outputs, checked } = setUp();
    const { measurer: without } = new NightHarness();
    night.measurer = without;
    const id = await night.bringIn(rows(1), { gates: { on: { silence: 50 } } });
    await night.scheduler.start(id);
    await night.untilRest(id);
    await night.clock.advance(60_000);
    expect((await outputs(id))[0]?.flags).toBeUndefined();
    night.measurer = measurer;
    await night.scheduler.start(id);
    await checked(id);
    expect((await outputs(id))[0]?.flags).toEqual([]);
  });

  test('of two takes with the same file, one is flagged', async () => {
    const { night, outputs, checked } = setUp();
    night.folder.contentOf = () => 'the same';
    const id = await night.bringIn([row('r1', 2, { takes: 2 })], {
      gates: { on: { twin: 1 } },
      filename: '{row}-{take}',
    });
    await night.scheduler.start(id);
    await night.untilRest(id);
    await checked(id);
    const flags = (await outputs(id)).flatMap((output) => output.flags ?? []);
    expect(flags.map(({ gate }) => gate)).toEqual(['twin']);
  });
});
