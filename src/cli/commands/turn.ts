/**
 * Holds rows of a batch, releases them, or has them run next; renames a batch; and pauses whole ones on a shared store.
 */
import type { Engine } from '../../engine/index.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import type { RowTurn } from '../../shared/domain/task/task-event.ts';
import type { Console } from '../console.ts';
import { count } from '../describe.ts';
import { EXIT, wrongUsage, type ExitCode } from '../ending.ts';
import { giveKeys, requireKeys } from '../accounts.ts';
import { withBatch, withEngine } from '../open-engine.ts';
import { namedBatch, placeOf, serverOf } from '../with-store.ts';
import type { CommonOptions, KeyOptions } from '../options/common-options.ts';
import { runToRest } from '../run-batch.ts';
import { refuseRehearsal, refuseUnknownRow } from './resume.ts';

interface NamedRows {
  readonly row: readonly string[];
}

const DONE_WORDS: Readonly<Record<RowTurn, string>> = { hold: 'held', release: 'released', next: 'to run next' };

/** Holds rows: nothing new is submitted for them until they are released. Sends nothing itself. */
export async function holdCommand(
  console: Console,
  named: string,
  options: CommonOptions & NamedRows,
): Promise<ExitCode> {
  return withBatch(options, named, async (engine, batch) => {
    await refuseRows(engine, batch, options);
    await sayTurn(console, engine, batch, options, 'hold');
    return EXIT.done;
  });
}

/** Releases held rows, and runs the batch unless it is paused or was never started. */
export function releaseCommand(console: Console, named: string, options: KeyOptions & NamedRows): Promise<ExitCode> {
  return turnAndRun(console, named, options, 'release');
}

/** Has whatever waits in these rows go first, held or not, and runs the batch in the same way. */
export function nextCommand(console: Console, named: string, options: KeyOptions & NamedRows): Promise<ExitCode> {
  return turnAndRun(console, named, options, 'next');
}

function turnAndRun(
  console: Console,
  named: string,
  options: KeyOptions & NamedRows,
  turn: RowTurn,
): Promise<ExitCode> {
  return withBatch(options, named, async (engine, batch) => {
    await refuseRows(engine, batch, options);
    if (batch.state === 'ready' || batch.state === 'paused') {
      await sayTurn(console, engine, batch, options, turn);
      console.line(`The batch is ${batch.state}. Continue with: nocturne resume ${batch.id}`);
      return EXIT.done;
    }
    await giveKeys(console, engine, batch.settings, requireKeys(batch.settings, options), options);
    return runToRest(console, engine, batch.id, () => sayTurn(console, engine, batch, options, turn));
  });
}

async function refuseRows(engine: Engine, batch: BatchRecord, { row: rows }: NamedRows): Promise<void> {
  refuseRehearsal(batch);
  for (const rowId of rows) await refuseUnknownRow(engine, batch, rowId);
}

async function sayTurn(
  console: Console,
  engine: Engine,
  batch: BatchRecord,
  { row: ids }: NamedRows,
  turn: RowTurn,
): Promise<void> {
  const tasks = await engine.decisions.setTurn(batch.id, { ids }, turn);
  console.event('turn', { batch: batch.id, rows: ids, turn, tasks });
  console.line(`${count(tasks, 'take')} of batch ${batch.id} (${visibleLine(batch.name, 200)}) ${DONE_WORDS[turn]}.`);
}

/** As many characters as the window accepts. */
const LONGEST_NAME = 200;

/** Gives a batch another name, in every state; its folder keeps its own. */
export async function renameCommand(
  console: Console,
  named: string,
  name: string,
  options: CommonOptions,
): Promise<ExitCode> {
  const wanted = name.trim();
  if (wanted === '' || wanted.length > LONGEST_NAME)
    throw wrongUsage(`A name has 1 to ${LONGEST_NAME} characters.`, 'Give another one. Nothing was changed.');
  return withBatch(options, named, async (engine, { id, settings }) => {
    await engine.config.rename(id, wanted);
    console.event('renamed', { batch: id, name: wanted });
    console.line(
      `Batch ${id} is called ${visibleLine(wanted, 200)} now. Its folder stays ${visibleLine(settings.folder, 500)}`,
    );
    return EXIT.done;
  });
}

export interface PauseOptions extends CommonOptions {
  readonly all?: true;
}

/** Pauses a batch, or every one that runs. What is rendering is still fetched. */
export async function pauseCommand(
  console: Console,
  named: string | undefined,
  options: PauseOptions,
): Promise<ExitCode> {
  if (serverOf(options) === undefined) {
    throw wrongUsage(
      `The store in ${placeOf(options)} is run by one process alone.`,
      'Pause in the window, or end the command that runs it with Ctrl-C. Nothing was changed.',
    );
  }
  if (options.all === true && named !== undefined) {
    throw wrongUsage('Both a batch and --all are given.', 'Give one of them.');
  }
  return withEngine(options, async (engine) => {
    const batches = options.all === true ? await engine.store.batches() : [await namedBatch(engine.store, named)];
    const running = batches.filter(({ state }) => state === 'running');
    await Promise.all(running.map(({ id }) => engine.pause(id)));
    for (const { id, name } of running) {
      console.event('paused', { batch: id });
      console.line(`Batch ${id} (${visibleLine(name, 200)}) is paused. Continue it with: nocturne resume ${id}`);
    }
    if (running.length === 0) console.line('Nothing runs: nothing was paused.');
    return EXIT.done;
  });
}
