/** Every command of the doors. One that is added here is a path over HTTP, a tool for assistants, and documented. */
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
 * Carries a command out, whichever door it came through: its input is parsed, what pays needs a cap, and its answer holds
 * what its schema names and nothing else. Rejects for bugs alone.
 */
export async function carryOut(host: DoorHost, command: DoorCommand, given: unknown): Promise<DoorAnswer<object>> {
  const parsed = command.input.safeParse(given, { reportInput: true });
  if (!parsed.success) return err(invalidInput(command, parsed.error));
  // It would be kept: as a name, in a sheet, in a receipt.
  if (command.effect !== 'looks' && host.keyFinder.finds(JSON.stringify(parsed.data))) return HOLDS_KEY;
  const run = async (): Promise<DoorAnswer<object>> => {
    const answer = await command.run(host, parsed.data);
    return answer.ok ? ok(command.output.parse(answer.value)) : answer;
  };
  try {
    if (command.effect !== 'pays') return await run();
    // One after the other: each sees what those before it have used of the cap.
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

/** The end of a command of the command line as a refusal. */
function refusalOf({ exitCode, message, remedy }: CommandFailure): Refusal {
  return { kind: exitCode === EXIT.storeOwned ? 'store-in-use' : 'refused', message, remedy };
}
