/** Asks the gates of a batch about one file. */
import { domainWords } from '../../words/domain-words.ts';
import { spokenMessage } from '../base/failure.ts';
import { inEnglish, type Reason } from '../base/reason.ts';
import { assertNever } from '../base/result.ts';
import { GATE_CODES, GATES, type FileGate, type GateCode, type GatesOn } from './gates.ts';
import type { WishedFile, MeasuredFile, OtherTake, Undecoded } from './measured-file.ts';

/** What a gate found: kept with the file, shown to the user. */
export interface GateFlag {
  readonly gate: GateCode;
  /** In English. */
  readonly message: string;
  /** Which text of the catalogue the message is; absent if an earlier version kept the flag. */
  readonly reason?: Reason;
}

/** A flag as documents and the command line have it, without the name of its text. */
export function flagInEnglish({ gate, message }: GateFlag): Omit<GateFlag, 'reason'> {
  return { gate, message };
}

/** A flag in the language of this process. */
export function spokenFlag(flag: GateFlag): Omit<GateFlag, 'reason'> {
  return { gate: flag.gate, message: spokenMessage(flag) };
}

/** What the gates say about one file. */
export interface GateReport {
  readonly flags: readonly GateFlag[];
  /** Gates that are on and concern the file, but could not look. */
  readonly unchecked: readonly GateCode[];
  /** Why. */
  readonly why?: Undecoded;
}

/** Asks the gates that are on. What was not measured is never flagged. */
export function askGates(
  file: MeasuredFile,
  { on, asked, others }: { readonly on: GatesOn; readonly asked: WishedFile; readonly others: readonly OtherTake[] },
): GateReport {
  const decoded = 'not' in file.decoded ? undefined : file.decoded;
  const flags: GateFlag[] = [];
  const unchecked: GateCode[] = [];
  for (const code of GATE_CODES) {
    const { kinds, needs, asks, look } = GATES[code];
    const value = on[code];
    if (value === undefined || !kinds.includes(file.kind)) continue;
    if (asks?.every((wish) => asked[wish] === undefined) === true) continue;
    const found = look({ file, decoded, asked, others, value });
    if (found !== undefined) flags.push({ gate: code, message: inEnglish(found), reason: found });
    else if (decoded === undefined && !isKnown(file, needs)) unchecked.push(code);
  }
  return { flags, unchecked, ...('not' in file.decoded && unchecked.length > 0 ? { why: file.decoded.not } : {}) };
}

function isKnown({ seconds, width }: MeasuredFile, needs: FileGate['needs']): boolean {
  switch (needs) {
    case 'decoding':
      return false;
    case 'length':
      return seconds !== undefined;
    case 'size':
      return width !== undefined;
    case 'nothing':
      return true;
    default:
      return assertNever(needs);
  }
}

/** Why gates could not look, as a sentence's end: “not checked: ffmpeg is not installed”. */
export function uncheckedText(why: Undecoded): string {
  return domainWords.operations.unchecked[why];
}
