/** Which gates a batch has, and the values from which they flag a file. */
import { z } from 'zod';
import { domainWords } from '../../words/domain-words.ts';
import { err, ok, type Result } from '../base/result.ts';
import { countOf } from '../base/text.ts';
import { GATE_CODES, GATES, type GateCode, type GatesOn } from './gates.ts';

/** A take is rendered again at most this often, whatever a batch's settings say: each is a paid request. */
export const MOST_AGAIN = 10;

/** The gates of a batch, as they are stored and as a file of settings has them: `true` stands for the usual value. */
export const gateSettingsSchema = z.strictObject({
  on: z.partialRecord(z.enum(GATE_CODES), z.union([z.number(), z.literal(true)])).transform((given, context) => {
    const on: Partial<Record<GateCode, number>> = {};
    for (const code of GATE_CODES) {
      const written = given[code];
      if (written === undefined) continue;
      const { usual, least, most, unit } = GATES[code];
      const value = written === true ? usual : written;
      if (value < least || value > most) {
        context.addIssue({ code: 'custom', path: [code], message: `Not a number from ${least} to ${most}${unit}` });
      }
      on[code] = value;
    }
    return on;
  }),
  again: z.int().min(0).max(MOST_AGAIN).optional(),
});

/** Which gates look at the files of a batch, and what becomes of what they flag. */
export interface GateSettings {
  readonly on: GatesOn;
  /** A take with a flagged file is rendered again, each time as a paid request, at most this often; 0 by default. */
  readonly again?: number | undefined;
}

/** Every gate with its usual value. */
export const USUAL_GATES: GateSettings = {
  on: Object.fromEntries(GATE_CODES.map((code) => [code, GATES[code].usual])),
};

/** Why settings of gates cannot be read, in a sentence, and what to do. */
export interface GateProblem {
  readonly message: string;
  readonly remedy: string;
}

const LIST = `The gates are ${GATE_CODES.join(', ')}.`;

/** Reads the text of a file of settings. */
export function readGateSettings(text: string): Result<GateSettings, GateProblem> {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return err({ message: 'It is not JSON.', remedy: 'An example: {"on": {"black": 50, "silence": true}}' });
  }
  const parsed = gateSettingsSchema.safeParse(given);
  if (parsed.success) return ok(parsed.data);
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  return err({
    message: `${place}${issue?.message ?? 'It cannot be read.'}`,
    remedy: `${LIST} An example: {"on": {"black": 50, "silence": true}}`,
  });
}

/** Reads `black`, which stands for its usual value, `black=30` or `black=30%`. */
export function readGate(text: string): Result<GatesOn, GateProblem> {
  const [name = '', ...rest] = text.split('=');
  const code = GATE_CODES.find((known) => known === name.trim().toLowerCase());
  if (code === undefined) return err({ message: `There is no gate ${JSON.stringify(name)}.`, remedy: LIST });
  const { usual, least, most, unit } = GATES[code];
  if (rest.length === 0) return ok({ [code]: usual });
  const written = rest.join('=').trim();
  const number = /^-?\d{1,9}(?:\.\d{1,6})?(?=%?$)/u.exec(written)?.[0];
  const value = number === undefined || (written.endsWith('%') && unit !== '%') ? Number.NaN : Number(number);
  if (value >= least && value <= most) return ok({ [code]: value });
  return err({
    ...domainWords.operations.noGateValue(JSON.stringify(written), code, { least, most: `${most}${unit}`, usual }),
  });
}

/** The gates that are on, on one line: `black 50%, silence 50%; what they flag is rendered again, 2 times at most`. */
export function gatesText({ on, again = 0 }: GateSettings): string {
  const named = GATE_CODES.flatMap((code) => (on[code] === undefined ? [] : `${code} ${on[code]}${GATES[code].unit}`));
  const then = again === 0 ? '' : `; what they flag is rendered again, ${countOf(again, 'time')} at most`;
  return named.length === 0 ? 'none' : `${named.join(', ')}${then}`;
}
