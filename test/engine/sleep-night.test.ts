/** The computer sleeps in a night: nothing new is sent before what is rendering was asked about. */
import { describe, expect, test } from 'vitest';
import type { SheetStore } from '../../src/engine/ports/sheet-store.ts';
import type { PollReport } from '../../src/engine/ports/media-gateway.ts';
import { NightHarness, rows } from '../support/night-harness.ts';
import { rendered, RUNNING } from '../support/scripted-gateway.ts';
import { SheetRig } from '../support/sheet-rig.ts';

const HOUR = 3_600_000;

/** One row renders, and the next answer about it comes when the test says so. */
async function renderingNight() {
  const night = new NightHarness();
  night.gateway.onPoll = () => RUNNING;
  const first = await night.bringIn(rows(1));
  const second = await night.bringIn(rows(2));
  await night.scheduler.start(first);
  await night.clock.advance(10_000);
  expect(night.gateway.submits).toHaveLength(1);
  let answer: (report: PollReport) => void = () => undefined;
  night.gateway.onPoll = () => new Promise<PollReport>((resolve) => (answer = resolve));
  return { night, second, answer: (report: PollReport) => answer(report) };
}

describe('a computer that sleeps', () => {
  test('sends nothing while it is about to, and asks first when it is awake', async () => {
    const { night, second, answer } = await renderingNight();
    night.scheduler.sleep();
    await night.scheduler.start(second);
    await night.clock.advance(20_000);
    expect(night.gateway.submits).toHaveLength(1);
    night.clock.jump(8 * HOUR);
    const polls = night.gateway.polls.length;
    night.scheduler.wake();
    await night.clock.advance(5_000);
    expect(night.gateway.submits).toHaveLength(1);
    expect(night.gateway.polls.length).toBeGreaterThanOrEqual(polls);
    answer(rendered('https://media.example/a.mp3'));
    await night.clock.advance(5_000);
    expect(night.gateway.submits).toHaveLength(3);
  });

  test('that nobody announced shows in the clock', async () => {
    const { night, second, answer } = await renderingNight();
    night.clock.jump(8 * HOUR);
    await night.scheduler.start(second);
    await night.clock.advance(5_000);
    expect(night.gateway.submits).toHaveLength(1);
    answer(RUNNING);
    await night.clock.advance(5_000);
    expect(night.gateway.submits).toHaveLength(3);
  });

  test('and a gateway that does not answer then holds the others up for a minute at most', async () => {
    const { night, second } = await renderingNight();
    night.scheduler.wake();
    night.clock.jump(8 * HOUR);
    await night.scheduler.start(second);
    await night.clock.advance(30_000);
    expect(night.gateway.submits).toHaveLength(1);
    await night.clock.advance(40_000);
    expect(night.gateway.submits).toHaveLength(3);
  });

  test('and was kept from it continues by itself', async () => {
    const { night, second, answer } = await renderingNight();
    night.scheduler.sleep();
    await night.scheduler.start(second);
    await night.clock.advance(60_000);
    answer(RUNNING);
    expect(night.gateway.submits).toHaveLength(1);
    await night.clock.advance(130_000);
    expect(night.gateway.submits).toHaveLength(3);
  });
});

test('a row that is edited while the clock is set right is sent, whatever the clock was when the edit began', async () => {
  const night = new NightHarness();
  let setRight = (): void => undefined;
  const rig = new SheetRig(night, (part) => {
    if (!('rowsByKeys' in part)) return part;
    const sheets = part as unknown as SheetStore;
    const rowsByKeys: SheetStore['rowsByKeys'] = (...asked) => {
      setRight();
      return sheets.rowsByKeys(...asked);
    };
    return { ...part, rowsByKeys };
  });
  const batchId = await rig.bringIn(['row', 'operation', 'prompt', 'takes'], [['song', 'music', 'A song', '1']]);
  await night.scheduler.start(batchId);
  await night.untilRest(batchId);
  night.clock.jump(9 * HOUR);
  await rig.set(batchId, 0, 'takes', '2');
  setRight = () => night.clock.jump(-26 * HOUR);
  await rig.editor.release(batchId);
  setRight = () => undefined;
  await night.scheduler.start(batchId);
  await night.clock.advance(HOUR);
  expect(night.gateway.submits).toHaveLength(2);
});
