/** What the user enters about the gates of a batch: which are on, with which values, and what follows from a flag. */
import { z } from 'zod';
import { err, ok, present, type Result } from '../../../shared/domain/base/result.ts';
import { MOST_AGAIN, readGate, USUAL_GATES, type GateSettings } from '../../../shared/domain/gates/gate-settings.ts';
import { GATE_CODES, GATES, type GateCode } from '../../../shared/domain/gates/gates.ts';
import type { Seen } from '../../../shared/ipc/route.ts';
import { words } from '../../../shared/words/words.ts';

/** As chosen and typed. */
export const gateAnswers = z.object({
  which: z.enum(['off', 'usual', 'chosen']),
  /** The values of the gates that are on, if the user chooses them. */
  values: z.partialRecord(z.enum(GATE_CODES), z.string()),
  againText: z.string(),
});
export type GateAnswers = Seen<typeof gateAnswers>;

/** The answers that say what a batch has now. */
export function gatesEntered(gates: GateSettings | undefined): GateAnswers {
  const again = gates?.again ?? 0;
  const on = gates?.on ?? USUAL_GATES.on;
  const isUsual = GATE_CODES.every((code) => on[code] === USUAL_GATES.on[code]);
  return {
    which: gates === undefined ? 'off' : isUsual ? 'usual' : 'chosen',
    values: Object.fromEntries(
      GATE_CODES.flatMap((code) => (on[code] === undefined ? [] : [[code, String(on[code])]])),
    ),
    againText: again === 0 ? '' : String(again),
  };
}

/** What is wrong with the value of a gate that is on, as a sentence. */
export function gateProblem(code: GateCode, text: string): string | undefined {
  const read = readGate(`${code}=${text.trim()}`);
  return read.ok ? undefined : read.error.remedy;
}

/** Reads the most times that a flagged file is rendered again; empty means never. */
export function readTimesAgain(text: string): Result<number, string> {
  const typed = text.trim();
  const times = typed === '' ? 0 : /^\d{1,2}$/.test(typed) ? Number(typed) : MOST_AGAIN + 1;
  return times > MOST_AGAIN ? err(words.costs.enterUpTo(MOST_AGAIN)) : ok(times);
}

/**
 * The gates that were entered; undefined for none.
 * @returns What the user must correct first, as a sentence.
 */
export function readGates({ which, values, againText }: GateAnswers): Result<GateSettings | undefined, string> {
  if (which === 'off') return ok(undefined);
  const times = readTimesAgain(againText);
  if (!times.ok) return err(words.costs.correct.again);
  const again = present({ again: times.value === 0 ? undefined : times.value });
  if (which === 'usual') return ok({ ...USUAL_GATES, ...again });
  const on: Partial<Record<GateCode, number>> = {};
  for (const code of GATE_CODES) {
    const text = values[code];
    if (text === undefined) continue;
    const read = readGate(`${code}=${text.trim()}`);
    if (!read.ok) return err(words.costs.correct.gate(GATES[code].title));
    Object.assign(on, read.value);
  }
  return Object.keys(on).length === 0 ? err(words.costs.chooseGate) : ok({ on, ...again });
}

/** What is chosen, in a few words. */
export function gatesWords(answers: GateAnswers): string {
  const { gates } = words.costs;
  const read = readGates(answers);
  if (!read.ok || read.value === undefined) return answers.which === 'off' ? gates.off : gates.wrong;
  const { on, again = 0 } = read.value;
  const which = answers.which === 'usual' ? gates.usual : gates.some(Object.keys(on).length);
  return again === 0 ? which : gates.withAgain(which, again);
}
