/** Tells the user about a night by the ways in a file (`--notify FILE`): its end, or that it needs someone. */
import { NightTeller, systemClock, tellByWays, type Clock, type Engine, type WayOutcome } from '../engine/index.ts';
import { visibleLine } from '../shared/domain/base/text.ts';
import { waitingUntil } from '../shared/domain/task/schedule.ts';
import { settlesItself, type Task } from '../shared/domain/task/task.ts';
import { onlyWaitsFor, takesOf, type BatchFacts, type NightNews } from '../shared/domain/telling/night-news.ts';
import { messageOf } from '../shared/domain/telling/night-message.ts';
import type { TellingSecrets, TellingWays } from '../shared/domain/telling/ways.ts';
import type { Console } from './console.ts';
import { summaryOf } from './describe.ts';

const HOURS_LOOK_MS = 60_000;

/** How to send messages, with the secrets that this needs. */
export interface Telling {
  readonly ways: TellingWays;
  readonly secrets: TellingSecrets;
}

/**
 * Follows a batch and sends messages about it until the returned function is called, which waits for the messages under
 * way. Nobody is told about an interruption, which the user has just caused.
 */
export async function tellOfNight(
  console: Console,
  engine: Engine,
  batchId: string,
  telling: Telling | undefined,
): Promise<(wasInterrupted: boolean) => Promise<void>> {
  if (telling === undefined) return () => Promise.resolve();
  return watchNight(engine, batchId, (news) => tell(console, telling, news));
}

/** The same, for callers that send the messages themselves. */
export async function watchNight(
  engine: Pick<Engine, 'views' | 'onChange'> & { readonly standing: Pick<Engine['standing'], 'unstored'> },
  batchId: string,
  tellOf: (news: NightNews) => Promise<void>,
  clock: Clock = systemClock,
): Promise<(wasInterrupted: boolean) => Promise<void>> {
  const sending = new Set<Promise<void>>();
  let isSilent = false;
  const teller = new NightTeller({
    clock,
    tell: (news) => {
      if (isSilent) return;
      const sent = tellOf(news).finally(() => sending.delete(sent));
      sending.add(sent);
    },
  });
  const look = async (): Promise<void> => {
    const { batch, tasks, settling } = await summaryOf(engine.views, batchId);
    const { id, name, state, pause, settings } = engine.standing.unstored(batchId) ?? batch;
    const takes = takesOf(tasks);
    const now = clock.now();
    // Its part of the night is also over when the rest waits for the hours of another night.
    const isOver = onlyWaitsFor({ state, takes }, waitingUntil({ state, settings }, now), now) !== undefined;
    const facts: BatchFacts = { id, name, state, pause, takes, settling, ...(isOver && { waits: true }) };
    if (!hasBegun) teller.begin([facts]);
    hasBegun = true;
    teller.note(facts);
  };
  let hasBegun = false;
  let looked = look();
  await looked;
  const stopListening = engine.onChange((change) => {
    const isNews =
      (change.kind === 'batch' && change.batch.id === batchId) ||
      (change.kind === 'task' && change.task.batchId === batchId && isUnknown(change.task));
    // A store that cannot answer is reported at the end of the run.
    if (isNews) looked = looked.then(look).catch(() => undefined);
  });
  // No change shows that the batch's hours are over, or begin again.
  let cancelLook = (): void => undefined;
  const lookAgain = (): void => {
    cancelLook = clock.setTimer(HOURS_LOOK_MS, () => {
      looked = looked.then(look).catch(() => undefined);
      lookAgain();
    });
  };
  lookAgain();
  return async (wasInterrupted) => {
    stopListening();
    cancelLook();
    isSilent = wasInterrupted;
    await looked;
    await look().catch(() => undefined);
    teller.lookNow();
    await Promise.all(sending);
  };
}

async function tell(console: Console, { ways, secrets }: Telling, news: NightNews): Promise<void> {
  sayOutcomes(console, await tellByWays(messageOf(news, ways.names), { ways, secrets, clock: systemClock }));
}

/** Says what came of each way. True if all went well. */
export function sayOutcomes(console: Console, outcomes: readonly WayOutcome[]): boolean {
  for (const { way, isOk, text } of outcomes) {
    console.event('notified', { way, ok: isOk, message: text });
    const line = `${way}: ${visibleLine(text, 400)}`;
    if (isOk) console.line(line);
    else console.problem(`warning: not told by ${line}`);
  }
  return outcomes.every(({ isOk }) => isOk);
}

/** A task that settles itself needs nobody. */
function isUnknown(task: Task): boolean {
  return task.status === 'submit-unknown' && !settlesItself(task);
}
