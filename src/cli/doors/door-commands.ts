/** Every command of the doors. One that is added here is a path over HTTP, a tool for assistants, and documented. */
import { err, ok } from '../../shared/domain/base/result.ts';
import { CommandFailure, EXIT } from '../ending.ts';
import { BATCH_COMMANDS } from './commands/batch-commands.ts';
import { MORNING_COMMANDS } from './commands/morning-commands.ts';
import { SHEET_COMMANDS } from './commands/sheet-commands.ts';
import type { DoorAnswer, Refusal } from './door-answer.ts';
import { invalidInput, type DoorCommand, type Effect } from './door-command.ts';
import type { DoorHost } from './door-host.ts';

export const DOOR_COMMANDS: readonly DoorCommand[] = [...SHEET_COMMANDS, ...BATCH_COMMANDS, ...MORNING_COMMANDS];

/** What an effect means, for whoever decides whether to call a command. */
export const EFFECT_WORDS: Readonly<Record<Effect, string>> = {
  looks: 'Changes nothing.',
  changes: 'Changes something; nothing is ever charged for it.',
  pays: 'Something may be charged for it: refused without a cap.',
};

/**
 * Carries a command out, whichever door it came through: its input is parsed, what pays needs a cap, and its answer holds
 * what its schema names and nothing else. Rejects for bugs alone.
 */
export async function carryOut(host: DoorHost, command: DoorCommand, given: unknown): Promise<DoorAnswer<object>> {
  const parsed = command.input.safeParse(given);
  if (!parsed.success) return err(invalidInput(command, parsed.error));
  const run = async (): Promise<DoorAnswer<object>> => {
    const answer = await command.run(host, parsed.data);
    return answer.ok ? ok(command.output.parse(answer.value)) : answer;
  };
  try {
    if (command.effect !== 'pays') return await run();
    // One after the other: each sees what those before it have used of the cap.
    return await host.payInTurn(run);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return err(refusalOf(error));
  }
}

/** The end of a command of the command line as a refusal. */
function refusalOf({ exitCode, message, remedy }: CommandFailure): Refusal {
  return { kind: exitCode === EXIT.storeOwned ? 'store-in-use' : 'refused', message, remedy };
}
