/** Tells the user of a night by the ways in a file (`--notify FILE`): its end, or that it needs someone. */
import { NightTeller, systemClock, tellByWays, type Engine, type WayOutcome } from '../engine/index.ts';
import { visibleLine } from '../shared/domain/base/text.ts';
import { settlesItself, type Task } from '../shared/domain/task/task.ts';
import { takesOf, type NightNews } from '../shared/domain/telling/night-news.ts';
import { messageOf } from '../shared/domain/telling/night-message.ts';
import type { TellingSecrets, TellingWays } from '../shared/domain/telling/ways.ts';
import type { Console } from './console.ts';
import { summaryOf } from './describe.ts';

/** How to tell, with the secrets that it needs. */
export interface Telling {
  readonly ways: TellingWays;
  readonly secrets: TellingSecrets;
}

/**
 * Follows a batch and tells of it until the returned function is called, which waits for the messages under way.
 * Nobody is told of what the user has just done: an interruption.
 */
export async function tellOfNight(
  console: Console,
  engine: Engine,
  batchId: string,
  telling: Telling | undefined,
): Promise<(wasInterrupted: boolean) => Promise<void>> {
  if (telling === undefined) return () => Promise.resolve();
  const sending = new Set<Promise<void>>();
  let isSilent = false;
  const teller = new NightTeller({
    clock: systemClock,
    tell: (news) => {
      if (isSilent) return;
      const sent = tell(console, telling, news).finally(() => sending.delete(sent));
      sending.add(sent);
    },
  });
  const look = async (): Promise<void> => {
    const { batch, tasks, settling } = await summaryOf(engine.views, batchId);
    const { id, name, state, pause } = engine.unstored(batchId) ?? batch;
    const facts = { id, name, state, pause, takes: takesOf(tasks), settling };
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
  return async (wasInterrupted) => {
    stopListening();
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

/** One that settles itself needs nobody. */
function isUnknown(task: Task): boolean {
  return task.status === 'submit-unknown' && !settlesItself(task);
}
