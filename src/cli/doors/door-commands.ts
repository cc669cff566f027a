/**
 * Every command of the doors. A command that is added here becomes a path over HTTP and a tool for assistants, and is
 * documented.
 */
import { err, ok } from '../../shared/domain/base/result.ts';
import { EXIT, expectedEnd, type CommandFailure } from '../ending.ts';
import { BATCH_COMMANDS } from './commands/batch-commands.ts';
import { MORNING_COMMANDS } from './commands/morning-commands.ts';
import { SETTLING_COMMANDS } from './commands/settling-commands.ts';
import { SHEET_COMMANDS } from './commands/sheet-commands.ts';
import { refusal, type DoorAnswer, type Refusal } from './door-answer.ts';
import { invalidInput, type DoorCommand } from './door-command.ts';
import type { DoorHost } from './door-host.ts';

export const DOOR_COMMANDS: readonly DoorCommand[] = [
  ...SHEET_COMMANDS,
  ...BATCH_COMMANDS,
  ...MORNING_COMMANDS,
  ...SETTLING_COMMANDS,
];

/**
 * Carries a command out, whichever door it came through: its input is parsed, a command that pays needs a cap, and its
 * answer holds only what its schema names. Rejects only for bugs.
 */
export async function carryOut(host: DoorHost, command: DoorCommand, given: unknown): Promise<DoorAnswer<object>> {
  const parsed = command.input.safeParse(given, { reportInput: true });
  if (!parsed.success) return err(invalidInput(command, parsed.error));
  // The key would be kept: as a name, in a sheet, or in a receipt.
  if (command.effect !== 'looks' && host.keyFinder.finds(JSON.stringify(parsed.data))) return HOLDS_KEY;
  const run = async (): Promise<DoorAnswer<object>> => {
    const answer = await command.run(host, parsed.data);
    return answer.ok ? ok(command.output.parse(answer.value)) : answer;
  };
  try {
    if (command.effect !== 'pays') return await run();
    // One after the other: each command sees how much of the cap those before it have used.
    return await host.payInTurn(run);
  } catch (error) {
    const expected = expectedEnd(error);
    if (expected === undefined) throw error;
    return err(refusalOf(expected));
  }
}

const HOLDS_KEY = refusal(
  'refused',
  'The input holds the key of the gateway.',
  'Leave it out: no program needs it, and it is kept nowhere.',
);

/** The early end of a command on the command line, as a refusal. */
function refusalOf({ exitCode, message, remedy }: CommandFailure): Refusal {
  return { kind: exitCode === EXIT.storeOwned ? 'store-in-use' : 'refused', message, remedy };
}
