import { describe, expect, test, vi } from 'vitest';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { filesPlace } from '../../src/shared/domain/places/files-place.ts';
import { readReference } from '../../src/shared/domain/cells/reference.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import type { FileAnswer, FileOrder } from '../../src/engine/ports/file-places.ts';
import type { SubmitReport } from '../../src/engine/ports/media-gateway.ts';
import { NightHarness, profileWith, row, SECRET } from '../support/night-harness.ts';
import { accepted, rendered } from '../support/scripted-gateway.ts';

const PLACE = filesPlace.parse({ command: { argv: ['put'] } });
const oneAtATime = { profile: profileWith({ activePerFamily: { musicgen: 1, 'videogen-a': 1, 'videogen-b': 1 } }) };

function film(id: string, line: number, images: readonly string[], more: Partial<Row> = {}): Row {
  return row(id, line, { operation: 'videogen-a/video/generate', body: { prompt: `about ${id}`, images }, ...more });
}

interface FilesOfNight {
  readonly asked: string[];
  /** Whether what is put for a batch stays as it was when a body was made. */
  mayUse: (batchId: string, body: Uint8Array) => boolean;
}

/** A night whose files are where `answer` says. */
function nightWith(answer: (written: string, order: FileOrder) => FileAnswer): NightHarness & FilesOfNight {
  const files: FilesOfNight = { asked: [], mayUse: () => true };
  const night = Object.assign(new NightHarness(), files);
  const { asked } = night;
  night.gateway.onSubmit = (_, nth) => accepted(`code-${nth}`);
  night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp4`);
  night.files = {
    addressOf(order) {
      asked.push(order.file.written);
      return Promise.resolve(answer(order.file.written, order));
    },
    noteUse: (...used) => Promise.resolve(night.mayUse(...used)),
    putFor: () => Promise.reject(new Error('Nobody asks')),
    deleteUnneeded: () => undefined,
    deleted: () => Promise.resolve(),
    allow: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  night.open();
  return night;
}

const there = (written: string): FileAnswer => ({ kind: 'there', address: `https://mine.example/${written.length}` });
const why = failure('LOCAL_FILE', 'no network');
const busyForAnHour: SubmitReport = {
  outcome: { kind: 'rate-limited', failure: failure('RATE_LIMITED', 'slowly'), retryAfterMs: 3_600_000 },
};
const bodies = ({ gateway }: NightHarness): readonly unknown[] =>
  gateway.submits.map(({ body }): unknown => JSON.parse(body));

test('what is sent has addresses in place of files, and the row keeps its path', async () => {
  const night = nightWith(there);
  const id = await night.bringIn([film('r1', 2, ['a.png', 'https://x.example/b.png', '../cc.png', 'word'])], {
    filesPlace: PLACE,
  });
  await night.scheduler.start(id);
  await night.untilRest(id);
  const images = ['https://mine.example/5', 'https://x.example/b.png', 'https://mine.example/9', 'word'];
  expect(bodies(night)).toEqual([{ prompt: 'about r1', images }]);
  const [task] = await night.tasks(id);
  const [attempt] = await night.store.attempts(task?.id ?? 0);
  expect(new TextDecoder().decode(attempt?.body)).toContain('https://mine.example/5');
  expect(new TextDecoder().decode(await night.store.requestBody(task?.id ?? 0))).toContain('a.png');
});

test('what another row gave is never read from the disk', async () => {
  const night = nightWith(there);
  night.gateway.onPoll = () => rendered('file:///etc/secret.png');
  const text = [{ row: 'r1', path: { kind: 'output-url' as const, index: 1 }, text: 'r1.output.1.url' }];
  const mixed = ['/data/', ...text, '.png'];
  const links = [{ column: 'images', value: { kind: 'list' as const, items: [text, ['mine.png'], mixed] } }];
  const images = ['{{r1.output.1.url}}', 'mine.png', '/data/{{r1.output.1.url}}.png'];
  const id = await night.bringIn([film('r1', 2, ['first.png']), film('r2', 3, images, { links })], {
    filesPlace: PLACE,
  });
  await night.scheduler.start(id);
  await night.untilRest(id);
  expect(new Set(night.asked)).toEqual(new Set(['first.png', 'mine.png']));
  expect(bodies(night)[1]).toEqual({
    prompt: 'about r2',
    images: ['file:///etc/secret.png', 'https://mine.example/8', '/data/file:///etc/secret.png.png'],
  });
});

test('a file that is on its way holds back its row alone, and lets it go when it is there', async () => {
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  let isThere = false;
  const night = nightWith((written) => (isThere ? there(written) : { kind: 'coming', arrived }));
  const others = Array.from({ length: 4 }, (_, i) => film(`o${i}`, i + 3, ['https://x.example/b.png']));
  const id = await night.bringIn([film('r1', 2, ['a.png']), ...others], { ...oneAtATime, filesPlace: PLACE });
  await night.scheduler.start(id);
  // In the middle between two looks.
  await night.clock.advance(5 * 60_000 + 10_000);
  expect(await night.statuses(id)).toEqual(['queued', 'done', 'done', 'done', 'done']);
  expect(bodies(night)).toHaveLength(4);
  isThere = true;
  arrive();
  await night.clock.advance(1000);
  expect(bodies(night)).toHaveLength(5);
  await night.untilRest(id);
  expect(new Set(await night.statuses(id))).toEqual(new Set(['done']));
});

test('a place that does not answer is asked again later; what it says is shown meanwhile', async () => {
  let tries = 0;
  const night = nightWith((written) => {
    tries += 1;
    return tries > 3 ? there(written) : { kind: 'later', failure: why, waitMs: 60_000 };
  });
  const id = await night.bringIn([film('r1', 2, ['a.png'])], { filesPlace: PLACE });
  await night.scheduler.start(id);
  await night.clock.advance(1000);
  expect(await night.tasks(id)).toMatchObject([{ status: 'queued', failure: why }]);
  expect(bodies(night)).toEqual([]);
  await night.untilRest(id);
  expect([tries, ...(await night.statuses(id))]).toEqual([4, 'done']);
});

test('refused files fail their rows, pay for nothing, and stop nothing else', async () => {
  const night = nightWith((written) =>
    written === 'good.png' ? there(written) : { kind: 'refused', failure: failure('LOCAL_FILE', 'It is a pipe.') },
  );
  const bad = Array.from({ length: 12 }, (_, i) => film(`b${i}`, i + 2, ['bad.png']));
  const id = await night.bringIn([...bad, film('good', 20, ['good.png'])], { filesPlace: PLACE, canary: 'first' });
  await night.scheduler.start(id);
  await night.untilRest(id);
  expect(await night.state(id)).toBe('finished');
  expect(await night.statuses(id)).toEqual([...bad.map(() => 'failed'), 'done']);
  expect(bodies(night)).toHaveLength(1);
  expect(await night.store.submitsUsed(id)).toBe(1);
});

test('no place, or an address with the key in it, is no reason to pay', async () => {
  const none = nightWith(there);
  const first = await none.bringIn([film('r1', 2, ['a.png'])]);
  await none.scheduler.start(first);
  await none.untilRest(first);
  expect(await none.tasks(first)).toMatchObject([{ status: 'failed', failure: { code: 'LOCAL_FILE' } }]);
  const leaky = nightWith(() => ({ kind: 'there', address: `https://mine.example/?key=${SECRET}` }));
  const second = await leaky.bringIn([film('r1', 2, ['a.png'])], { filesPlace: PLACE });
  await leaky.scheduler.start(second);
  await leaky.untilRest(second);
  const [task] = await leaky.tasks(second);
  expect(task).toMatchObject({ status: 'failed', failure: { code: 'LOCAL_FILE' } });
  expect(JSON.stringify(task)).not.toContain(SECRET);
  expect([...bodies(none), ...bodies(leaky)]).toEqual([]);
});

test('a row that waits long is looked at ever less often, and listens to its file once', async () => {
  let heard = 0;
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const then = arrived.then.bind(arrived);
  vi.spyOn(arrived, 'then').mockImplementation((...given) => {
    heard += 1;
    return then(...given);
  });
  let isThere = false;
  const night = nightWith((written) => (isThere ? there(written) : { kind: 'coming', arrived }));
  const id = await night.bringIn([film('r1', 2, ['a.png'])], { filesPlace: PLACE });
  await night.scheduler.start(id);
  await night.clock.advance(4 * 3_600_000);
  expect(night.asked.length).toBeLessThan(25);
  expect(heard).toBe(1);
  isThere = true;
  arrive();
  await night.clock.advance(1000);
  expect(bodies(night)).toHaveLength(1);
});

test('a file that arrives does not send a row before the time that its gateway gave it', async () => {
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  let isThere = false;
  const night = nightWith((written) => (isThere ? there(written) : { kind: 'coming', arrived }));
  night.gateway.onSubmit = (_, nth) => (nth === 1 ? busyForAnHour : accepted(`code-${nth}`));
  const id = await night.bringIn([film('r1', 2, ['a.png'])], { filesPlace: PLACE });
  await night.scheduler.start(id);
  await night.clock.advance(1000);
  // Sent at the next look; what was listened to before is late.
  isThere = true;
  await night.clock.advance(60_000);
  expect(bodies(night)).toHaveLength(1);
  const refused = await night.tasks(id);
  arrive();
  await night.clock.advance(60_000);
  expect(await night.tasks(id)).toEqual(refused);
});

/** A film that begins with a picture of the first file of the row `first`. */
function nextFilm(line: number, cell = 'first.output.1.lastFrame'): Row {
  const [reference] = readReference(cell);
  if (reference === undefined) throw new Error(cell);
  const links = [
    { column: 'images', value: { kind: 'list' as const, items: [[reference], ['https://x.example/b.png']] } },
  ];
  return film('next', line, [`{{${cell}}}`, 'https://x.example/b.png'], { links });
}

describe('a picture that is made of another row’s file', () => {
  test('is asked for once that row is done, of the file that is there', async () => {
    const asked: FileOrder[] = [];
    const night = nightWith((written, order) => {
      asked.push(order);
      return there(written);
    });
    const id = await night.bringIn([film('first', 2, []), nextFilm(3)], { filesPlace: PLACE });
    await night.scheduler.start(id);
    await night.untilRest(id);
    const [first] = await night.store.tasksOfRow(id, 'first');
    const output = first?.outputs[0];
    expect(output).toMatchObject({ state: 'verified' });
    const { path, sha256, mediaType } = output ?? {};
    const { folder } = (await night.store.batch(id))?.settings ?? {};
    expect(asked.map(({ picture }) => picture)).toEqual([{ part: 'lastFrame', folder, path, sha256, mediaType }]);
    const images = [`https://mine.example/${'{{first.output.1.lastFrame}}'.length}`, 'https://x.example/b.png'];
    expect(bodies(night)[1]).toEqual({ prompt: 'about next', images });
  });

  test('is of the file that the user has picked', async () => {
    const asked: FileOrder[] = [];
    const night = nightWith((written, order) => {
      asked.push(order);
      return there(written);
    });
    night.gateway.onPoll = (code) =>
      rendered(`https://media.example/${code}-a.mp4`, `https://media.example/${code}-b.mp4`);
    const id = await night.bringIn([film('first', 2, [], { pick: true }), nextFilm(3)], { filesPlace: PLACE });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(asked).toEqual([]);
    const [first] = await night.store.tasksOfRow(id, 'first');
    await night.scheduler.decide([
      { taskId: first?.id ?? 0, event: { kind: 'reviewed', index: 2, change: { pickedAt: 5 } } },
    ]);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(asked.map(({ picture }) => picture?.path)).toEqual([first?.outputs[1]?.path]);
    expect(bodies(night)).toHaveLength(2);
  });

  test('that cannot be made, or of an output that is not there, is no reason to pay', async () => {
    const night = nightWith(() => ({ kind: 'refused', failure: failure('LOCAL_FILE', 'no ffmpeg') }));
    const rows = [film('first', 2, []), nextFilm(3), { ...nextFilm(4, 'first.output.7.lastFrame'), id: 'seventh' }];
    const id = await night.bringIn(rows, { filesPlace: PLACE });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(bodies(night)).toHaveLength(1);
    const failures = await Promise.all(
      ['next', 'seventh'].map(async (row) => (await night.store.tasksOfRow(id, row))[0]?.failure),
    );
    expect(failures[0]).toMatchObject({ code: 'LOCAL_FILE', message: 'no ffmpeg' });
    expect(failures[1]?.message).toContain('but it has 1 output');
  });
});

test('nothing is paid for a body whose file is being deleted: it is made anew, with what is put again', async () => {
  let isGone = true;
  const night = nightWith((written) => ({ kind: 'there', address: `https://mine.example/${written}-${isGone}` }));
  const noted: string[] = [];
  night.mayUse = (batchId, body) => {
    noted.push(`${batchId} ${new TextDecoder().decode(body)}`);
    return !isGone;
  };
  const id = await night.bringIn([film('r1', 2, ['a.png'])], { filesPlace: PLACE });
  await night.scheduler.start(id);
  await night.clock.advance(60_000);
  expect(bodies(night)).toEqual([]);
  expect(await night.statuses(id)).toEqual(['queued']);
  // Neither in every tick, nor never.
  expect(noted.length).toBeGreaterThan(5);
  expect(noted.length).toBeLessThan(20);
  isGone = false;
  await night.untilRest(id);
  expect(bodies(night)).toEqual([{ prompt: 'about r1', images: ['https://mine.example/a.png-false'] }]);
  expect(noted.at(-1)).toBe(`${id} ${JSON.stringify(bodies(night)[0])}`);
});
