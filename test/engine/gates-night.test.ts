import { describe, expect, test } from 'vitest';
import type { FileMeasurer, FileToMeasure } from '../../src/engine/ports/file-looks.ts';
import { listOf } from '../../src/shared/domain/base/result.ts';
import { manifestFilesOf } from '../../src/shared/domain/files/manifest.ts';
import { USUAL_GATES } from '../../src/shared/domain/gates/gate-settings.ts';
import type { DecodedFile } from '../../src/shared/domain/gates/measured-file.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import { timesAgain } from '../../src/shared/domain/task/batch.ts';
import type { Output } from '../../src/shared/domain/task/task.ts';
import { FleetNight } from '../support/fleet-night.ts';
import { NightHarness, profileWith, row, rows } from '../support/night-harness.ts';
import { record, rendered, RUNNING } from '../support/scripted-gateway.ts';
import { SheetRig } from '../support/sheet-rig.ts';

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

const LISTED = { gate: 'silence', message: '97.5 % of it is silent.' };
const FLAG = { ...LISTED, reason: { text: 'gate.silence', facts: [97.5] } };

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
    expect(exported.flatMap(manifestFilesOf).map(({ flags }) => flags)).toEqual([undefined, [LISTED], undefined]);
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

/** Says of songs by their paths how often their takes are silent: the first so many are. */
function silentAtFirst(times: number): (file: FileToMeasure) => boolean {
  return ({ path }) => Number(/-v(\d+)\./.exec(path)?.[1] ?? 1) <= times;
}

const ADDRESS_OF = (code: number): string => `https://media.example/code-${code}.mp3`;

/** A row whose prompt is the address of what another one gives. */
function referring(id: string, line: number, to = 'r1'): Row {
  const address = { row: to, path: { kind: 'output-url', index: 1 }, text: `${to}.output.1.url` } as const;
  return row(id, line, {
    body: { prompt: '-' },
    links: [{ column: 'prompt', value: { kind: 'text', text: [address] } }],
  });
}

describe('flagged files are rendered again', () => {
  const again = (times: number) => ({ gates: { on: { silence: 50 }, again: times } });
  const filesOf = async (night: NightHarness, id: string) =>
    (await listOf(night.opened.views.exportRows(id))).flatMap(manifestFilesOf);

  test('until one is good; the flagged one stays on record, and the row has the good one', async () => {
    const { night, measurer } = setUp();
    measurer.isSilent = (file) => file.path.includes('r2') && silentAtFirst(1)(file);
    const id = await night.bringIn(rows(3), again(2));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([await night.state(id), await night.statuses(id)]).toEqual(['finished', ['done', 'done', 'done']]);
    expect(night.gateway.submits).toHaveLength(4);
    expect((await filesOf(night, id)).map(({ path, superseded, flags }) => [path, superseded, flags?.length])).toEqual([
      ['music/r1.mp3', undefined, undefined],
      ['music/r2.mp3', true, 1],
      ['music/r2-v2.mp3', undefined, undefined],
      ['music/r3.mp3', undefined, undefined],
    ]);
    const [shown] = await night.opened.views.rowsByIds(id, ['r2']);
    expect([shown?.status, shown?.progress, shown?.fileCount, shown?.problem]).toEqual([
      'done',
      { done: 1, total: 1 },
      1,
      undefined,
    ]);
    expect(night.bugs).toEqual([]);
  });

  test('N times at most; then the row stays done and says so', async () => {
    const { night, measurer } = setUp();
    measurer.isSilent = () => true;
    const id = await night.bringIn(rows(1), again(2));
    await night.scheduler.start(id);
    await night.untilRest(id);
    await night.scheduler.start(id);
    await night.clock.advance(60_000);
    expect([await night.state(id), await night.statuses(id)]).toEqual(['finished', ['done']]);
    expect(night.gateway.submits).toHaveLength(3);
    const [shown] = await night.opened.views.rowsByIds(id, ['r1']);
    expect(shown?.problem?.message).toBe(
      'Rendered again 2 times, and still: Silence: music/r1-v3.mp3. 97.5 % of it is silent.',
    );
  });

  test('after the rows that have no file yet, so that a limit leaves none of these without one', async () => {
    const { night, measurer } = setUp();
    measurer.isSilent = silentAtFirst(1);
    const limits = { limits: { requestsPerSecond: 50, downloads: 1, activePerFamily: { musicgen: 1 } } };
    const id = await night.bringIn(rows(4), { ...again(1), maxSubmits: 5, profile: profileWith(limits.limits) });
    // Also where it was to run next.
    await night.store.setTurn(id, { ids: ['r1'] }, { kind: 'put-first', priority: 9 });
    await night.scheduler.start(id);
    await night.untilRest(id);
    await night.clock.advance(60_000);
    expect(night.gateway.submits.map(({ body }) => (JSON.parse(body) as { prompt: string }).prompt)).toEqual(
      ['r1', 'r2', 'r3', 'r4', 'r1'].map((name) => `a song about ${name}`),
    );
    // The limit is reached as by any other row, and what it holds back goes on once it is raised.
    const batch = await night.store.batch(id);
    expect(batch?.pause).toMatchObject({ by: 'failure', failure: { code: 'CAP_REACHED' } });
    // What came in its place after the pause is looked at, and goes on with the rest.
    expect(await night.statuses(id)).toEqual(['done', 'queued', 'queued', 'done']);
    await night.scheduler.configure(id, ({ settings }) => ({ ...settings, maxSubmits: 8 }));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([await night.state(id), night.gateway.submits.length]).toEqual(['finished', 8]);
    expect(await night.statuses(id)).toEqual(['done', 'done', 'done', 'done']);
  });

  test('also where the night ended between the flag and what follows from it, once', async () => {
    const { night, measurer, checked } = setUp();
    measurer.isSilent = silentAtFirst(1);
    const id = await night.bringIn(rows(2), { gates: { on: { silence: 50 } } });
    await night.scheduler.start(id);
    await night.untilRest(id);
    await checked(id);
    // The same store as after a kill behind the commit of the flag.
    await night.scheduler.configure(id, ({ settings }) => ({ ...settings, ...again(1) }));
    expect(night.gateway.submits).toHaveLength(2);
    night.open();
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.statuses(id)).includes('queued'));
    // And killed before it is sent.
    night.open();
    await Promise.all([night.scheduler.start(id), night.scheduler.start(id)]);
    await night.untilRest(id);
    expect([await night.statuses(id), night.gateway.submits.length]).toEqual([['done', 'done'], 4]);
    expect(measurer.measured).toHaveLength(4);
  });

  test('killed while it measures: the batch does not end before all of it was looked at', async () => {
    const { night, measurer } = setUp();
    measurer.isSilent = silentAtFirst(1);
    measurer.gate = aborted;
    const id = await night.bringIn(rows(1), again(1));
    await night.scheduler.start(id);
    await night.clock.advance(60_000);
    expect([await night.state(id), await night.statuses(id)]).toEqual(['running', ['done']]);
    night.open();
    measurer.gate = () => Promise.resolve();
    await night.scheduler.attach(id);
    await night.untilRest(id);
    expect([await night.state(id), night.gateway.submits.length]).toEqual(['finished', 2]);
  });

  test('checks that go on hold up the end of a batch for as long as they take', async () => {
    const { night, measurer } = setUp();
    measurer.isSilent = (file) => file.path.includes('r50') && silentAtFirst(1)(file);
    measurer.gate = () => new Promise((resolve) => night.clock.setTimer(30_000, resolve));
    const id = await night.bringIn([...rows(50), referring('film', 99, 'r50')], again(1));
    await night.scheduler.start(id);
    await night.clock.advance(12 * 60_000);
    expect(await night.state(id)).toBe('running');
    await night.untilRest(id);
    expect([await night.state(id), night.gateway.submits.length]).toEqual(['finished', 52]);
    expect(night.gateway.submits.at(-1)?.body).toContain(ADDRESS_OF(51));
  });

  test('a check that hangs holds up the rows that refer to its row for ten minutes, and then they are rendered', async () => {
    const { night, measurer } = setUp();
    measurer.gate = aborted;
    const id = await night.bringIn([row('r1', 2), referring('film', 3)], again(1));
    await night.scheduler.start(id);
    await night.clock.advance(9 * 60_000);
    expect([await night.state(id), night.gateway.submits.length]).toEqual(['running', 1]);
    await night.clock.advance(15 * 60_000);
    expect([await night.state(id), await night.statuses(id)]).toEqual(['finished', ['done', 'done']]);
  });

  test('a check that hangs holds up the end no longer while a failure is asked about that is not certain', async () => {
    const { night, measurer } = setUp();
    measurer.gate = aborted;
    night.gateway.onPoll = (code) => {
      const isFirst = code === 'code-1';
      const urls = isFirst ? ['https://media.example/1.mp3'] : [];
      return { answer: { kind: 'record', record: record({ status: isFirst ? '9' : '8', urls, endTime: 'x' }) } };
    };
    const id = await night.bringIn(rows(2), again(1));
    await night.scheduler.start(id);
    await night.clock.advance(15 * 60_000);
    expect((await night.tasks(id)).map(({ status, failure }) => [status, failure?.suspected])).toEqual([
      ['done', undefined],
      ['failed', true],
    ]);
    expect(await night.state(id)).toBe('finished');
  });

  test('what refers to a row that is flagged while the batch is paused is made of the good file', async () => {
    const { night, measurer } = setUp();
    measurer.isSilent = silentAtFirst(1);
    // As where there are many: they take a while to read.
    let isSlow = false;
    night.open((store) => ({
      ...store,
      async tasksForGates(batchId: string) {
        if (isSlow) await new Promise<void>((resolve) => night.clock.setTimer(200, resolve));
        return store.tasksForGates(batchId);
      },
    }));
    let release = (): void => undefined;
    measurer.gate = () => new Promise((resolve) => (release = resolve));
    const id = await night.bringIn([row('r1', 2), referring('film', 3)], again(1));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => Promise.resolve(measurer.measured.length === 1));
    await night.scheduler.pauseByUser(id);
    release();
    await night.clock.advance(5000);
    expect(night.gateway.submits).toHaveLength(1);
    measurer.gate = () => Promise.resolve();
    isSlow = true;
    await night.scheduler.start(id);
    await night.untilRest(id);
    const bodies = night.gateway.submits.map(({ body }) => body);
    expect(bodies.some((body) => body.includes(ADDRESS_OF(1)))).toBe(false);
    expect(bodies.filter((body) => body.includes(ADDRESS_OF(2)))).toHaveLength(2);
  });

  test('a check that hangs holds up the end of a batch for ten minutes', async () => {
    const { night, measurer } = setUp();
    measurer.gate = aborted;
    const id = await night.bringIn(rows(1), again(1));
    await night.scheduler.start(id);
    await night.clock.advance(9 * 60_000);
    expect(await night.state(id)).toBe('running');
    await night.clock.advance(2 * 60_000);
    expect([await night.state(id), await night.statuses(id)]).toEqual(['finished', ['done']]);
  });

  test('nothing without ffmpeg, and the batch ends all the same', async () => {
    const { night } = setUp();
    const { measurer } = new NightHarness();
    night.measurer = measurer;
    const id = await night.bringIn(rows(2), again(2));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([await night.state(id), night.gateway.submits.length]).toEqual(['finished', 2]);
  });

  test('nothing in a batch that has ended, is paused, or says so no more; and nothing that the user has judged', async () => {
    const { night, measurer, checked } = setUp();
    measurer.isSilent = () => true;
    const id = await night.bringIn(rows(2), { gates: { on: { silence: 50 } } });
    await night.scheduler.start(id);
    await night.untilRest(id);
    await checked(id);
    const [first, second] = await night.tasks(id);
    await night.scheduler.configure(id, ({ settings }) => ({ ...settings, ...again(1) }));
    const flagged = async () => (await night.store.task(second?.id ?? 0)) ?? expect.unreachable();
    const commit = async () => {
      const task = await flagged();
      const next = { ...task, superseded: true as const, revision: task.revision + 1 };
      const event = { kind: 'made-again' } as const;
      return night.store.commit([{ expectedRevision: task.revision, next, event, at: night.clock.now() }]);
    };
    expect([await night.state(id), await commit()]).toEqual(['finished', ['not-wanted']]);
    await night.scheduler.decide([
      { taskId: first?.id ?? 0, event: { kind: 'reviewed', index: 1, change: { rating: 3 } } },
    ]);
    await night.store.setTurn(id, { ids: ['r2'] }, { kind: 'put-on-hold' });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([await night.statuses(id), night.gateway.submits.length]).toEqual([['done', 'done'], 2]);
    await night.store.setTurn(id, { ids: ['r2'] }, { kind: 'released' });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([await night.statuses(id), night.gateway.submits.length]).toEqual([['done', 'done'], 3]);
    expect((await flagged()).superseded).toBe(true);
    // Whoever decides second finds that it was decided.
    expect(await commit()).toEqual(['stale']);
  });

  test('by the other worker, where the one that fetched a file is gone before it looked', async () => {
    const fleet = new FleetNight();
    const [never, measurer] = [new ScriptedMeasurer(), new ScriptedMeasurer()];
    never.gate = aborted;
    fleet.measurers.set('w1', never).set('w2', measurer);
    const id = await fleet.bringIn([row('r1', 2), row('r2', 3), referring('film', 4)], again(1));
    const first = await fleet.worker('w1');
    await fleet.worker('w2');
    // The second row takes for ever: the batch is not at rest.
    fleet.gatewayAt('https://gateway.example/api').onPoll = (code) =>
      code === 'code-2' ? RUNNING : rendered(`https://media.example/${code}.mp3`);
    await fleet.start(id);
    await fleet.clock.advance(300_000);
    expect(never.measured).toHaveLength(1);
    first.kill();
    await fleet.clock.advance(600_000);
    expect((await fleet.tasks(id)).map(({ rowId, status }) => [rowId, status])).toEqual([
      ['r1', 'done'],
      ['r2', 'rendering'],
      ['film', 'done'],
    ]);
  });

  test('what was flagged in a run that has ended is left alone until the user starts all of the batch', async () => {
    const { night, measurer, checked } = setUp();
    measurer.isSilent = silentAtFirst(1);
    const id = await night.bringIn([row('r1', 2), referring('film', 3), row('late', 4)], {
      gates: { on: { silence: 50 } },
    });
    await night.store.setTurn(id, { ids: ['late'] }, { kind: 'put-on-hold' });
    const late = (await night.tasks(id)).find(({ rowId }) => rowId === 'late')?.id ?? 0;
    await night.scheduler.decide([{ taskId: late, event: { kind: 'put-on-hold' } }]);
    await night.scheduler.start(id);
    await night.untilRest(id);
    await night.clock.advanceUntil(async () =>
      (await night.tasks(id)).every(({ status, outputs }) => status === 'queued' || outputs[0]?.flags !== undefined),
    );
    expect([await night.state(id), night.gateway.submits.length]).toEqual(['finished', 2]);
    await night.scheduler.configure(id, ({ settings }) => ({ ...settings, ...again(1) }));
    // The release of one row starts the batch again, and a kill changes nothing of what that meant.
    await night.store.setTurn(id, { ids: ['late'] }, { kind: 'released' });
    await night.scheduler.decide([{ taskId: late, event: { kind: 'released' } }]);
    await night.scheduler.start(id, night.scheduler.pausesOf(id), true);
    night.open();
    await night.scheduler.attach(id);
    await night.untilRest(id);
    // Its own file is new, flagged, and rendered again.
    expect([await night.state(id), night.gateway.submits.length]).toEqual(['finished', 4]);
    await night.scheduler.start(id);
    await night.untilRest(id);
    await checked(id);
    expect([await night.state(id), night.gateway.submits.length]).toEqual(['finished', 6]);
  });

  test('ten times at most, whatever the store says', () => {
    const settings = { profile: profileWith(), folder: '/media', filename: '{row}', rehearsal: false, ...again(1000) };
    expect(timesAgain({ settings }, {})).toBe(10);
  });

  test('N times at most, also after an edit there and back', async () => {
    const { night, measurer } = setUp();
    const rig = new SheetRig(night);
    measurer.isSilent = () => true;
    night.gateway.onPoll = (code) =>
      code === 'code-1'
        ? rendered('https://media.example/1.mp3')
        : { answer: { kind: 'record', record: record({ status: '3', urls: [] }) } };
    const id = await rig.bringIn(['row', 'operation', 'prompt'], [['r1', 'music', 'owl']], { settings: again(1) });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([await night.statuses(id), night.gateway.submits.length]).toEqual([['failed'], 2]);
    await rig.set(id, 0, 'prompt', 'fox');
    await rig.set(id, 0, 'prompt', 'owl');
    expect((await night.tasks(id)).map(({ status, madeAgain }) => [status, madeAgain])).toEqual([['done', 1]]);
    await night.scheduler.start(id);
    await night.untilRest(id);
    await night.clock.advance(60_000);
    expect([await night.statuses(id), night.gateway.submits.length]).toEqual([['done'], 2]);
  });

  test.each([
    {
      of: 'a row',
      sheet: [
        ['r1', 'music', 'owl'],
        ['r2', 'music', 'fox'],
      ],
      edited: 0,
      text: 'cat',
      isFlagged: () => true,
      lastPlace: 'code-2',
      sent: ['fox', 'fox', 'owl', 'owl'],
    },
    {
      of: 'a row that refers to another',
      sheet: [
        ['r1', 'music', 'owl'],
        ['r2', 'music', 'after {{r1.taskId}}'],
        ['r3', 'music', 'fox'],
        ['r4', 'music', 'cat'],
      ],
      edited: 1,
      text: 'before {{r1.taskId}}',
      isFlagged: ({ path }: FileToMeasure) => path.includes('r2'),
      lastPlace: 'code-4',
      sent: ['after', 'after', 'cat', 'fox', 'owl'],
    },
  ])(
    'N times at most of $of, also after an edit that is undone while the new one waits',
    async ({ sheet, edited, text, isFlagged, lastPlace, sent }) => {
      const { night, measurer } = setUp();
      const rig = new SheetRig(night);
      measurer.isSilent = isFlagged;
      let isOut = true;
      night.gateway.onPoll = (code) =>
        code === lastPlace && isOut ? RUNNING : rendered(`https://media.example/${code}.mp3`);
      const settings = { ...again(1), profile: profileWith({ activePerFamily: { musicgen: 1 } }) };
      const id = await rig.bringIn(['row', 'operation', 'prompt'], sheet, { settings });
      await night.scheduler.start(id);
      await night.clock.advanceUntil(async () => (await night.tasks(id)).some(({ madeAgain }) => madeAgain === 1));
      await rig.set(id, edited, 'prompt', text);
      await rig.undo(id);
      isOut = false;
      await night.scheduler.start(id);
      await night.untilRest(id);
      await night.clock.advance(60_000);
      await night.untilRest(id);
      expect(await night.statuses(id)).toEqual(sheet.map(() => 'done'));
      const prompts = night.gateway.submits.map(({ body }) => (JSON.parse(body) as { prompt: string }).prompt);
      // What the gateway called the song is its own matter.
      expect(prompts.map((prompt) => prompt.replace(/ .*$/u, '')).toSorted()).toEqual(sent);
    },
  );

  test('what refers to a row waits for the good file, and for the look at it', async () => {
    const { night, measurer } = setUp();
    measurer.isSilent = silentAtFirst(1);
    measurer.gate = () => new Promise((resolve) => night.clock.setTimer(30_000, resolve));
    const id = await night.bringIn([row('r1', 2), referring('film', 3)], again(2));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([await night.state(id), await night.statuses(id)]).toEqual(['finished', ['done', 'done']]);
    const prompts = night.gateway.submits.map(({ body }) => (JSON.parse(body) as { prompt: string }).prompt);
    // The second rendering of r1 has the second task code, and the film is made of that alone; then it is made again itself.
    expect(prompts).toEqual(['a song about r1', 'a song about r1', ADDRESS_OF(2), ADDRESS_OF(2)]);
  });

  test('what refers to a row waits for nothing that is not to come: no ffmpeg, or a row that is rendered once only', async () => {
    const { night, measurer } = setUp();
    const { measurer: without } = new NightHarness();
    night.measurer = without;
    const id = await night.bringIn([row('r1', 2), referring('film', 3)], again(2));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([await night.statuses(id), night.gateway.submits.length]).toEqual([['done', 'done'], 2]);
    night.measurer = measurer;
    measurer.isSilent = () => true;
    const held = await night.bringIn([row('r1', 2), referring('film', 3)], again(1));
    await night.store.setTurn(held, { ids: ['r1'] }, { kind: 'put-first', priority: 0 });
    night.onTaskChanged = ({ status, rowId, batchId }) => {
      // Held once it is rendered: it is not rendered again.
      if (batchId === held && rowId === 'r1' && status === 'downloading')
        void night.store.setTurn(held, { ids: ['r1'] }, { kind: 'put-on-hold' });
    };
    await night.scheduler.start(held);
    await night.untilRest(held);
    expect([await night.statuses(held), night.gateway.submits.length]).toEqual([['done', 'done'], 5]);
  });
});
