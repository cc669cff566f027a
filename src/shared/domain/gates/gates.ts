/**
 * The gates: what each looks for in a file, and from which value. What a gate finds is kept with the file, in English.
 */
import { domainWords } from '../../words/domain-words.ts';
import { reason, type Reason } from '../base/reason.ts';
import { mapRecord } from '../base/result.ts';
import { formatBytes } from '../base/text.ts';
import type { OutputKind } from '../operations/operations.ts';
import {
  printDistance,
  type WishedFile,
  type DecodedFile,
  type MeasuredFile,
  type OtherTake,
} from './measured-file.ts';

export const GATE_CODES = [
  'decodes',
  'tiny',
  'short',
  'length',
  'aspect',
  'resolution',
  'silence',
  'quiet',
  'loud',
  'clipping',
  'black',
  'frozen',
  'blur',
  'twin',
] as const;
export type GateCode = (typeof GATE_CODES)[number];

/** Everything that a gate may look at. */
interface Looked {
  readonly file: MeasuredFile;
  readonly decoded: DecodedFile | undefined;
  readonly asked: WishedFile;
  readonly others: readonly OtherTake[];
  /** The threshold of the gate. */
  readonly value: number;
}

/** One gate: a row of the table. */
interface GateRules {
  readonly kinds: readonly OutputKind[];
  /** What its value means, to follow a number. */
  readonly unit: '%' | ' s' | ' LUFS' | ' bytes' | '';
  /** Silent on good files. */
  readonly usual: number;
  readonly least: number;
  readonly most: number;
  /** What must be known about a file for the gate to look. */
  readonly needs: 'decoding' | 'length' | 'size' | 'nothing';
  /** What the row must have asked for. */
  readonly asks?: readonly (keyof WishedFile)[];
  /** What it found; undefined for nothing. */
  readonly look: (looked: Looked) => Reason | undefined;
}

/** A gate in words: when it flags a file, with its value as `N`, and what the user should do then. */
export interface FileGate extends GateRules {
  readonly title: string;
  readonly rule: string;
  readonly remedy: string;
}

const SEEN: readonly OutputKind[] = ['video', 'image'];
const HEARD: readonly OutputKind[] = ['music', 'video'];
const MEDIA: readonly OutputKind[] = ['music', 'video', 'image'];
const percent = { unit: '%', least: 0, most: 100 } as const;

const RULES: Readonly<Record<GateCode, GateRules>> = {
  decodes: {
    kinds: MEDIA,
    unit: '',
    usual: 3,
    least: 0,
    most: 1_000_000,
    needs: 'decoding',
    look: ({ decoded, file: { seconds }, value }) => {
      if (decoded === undefined) return undefined;
      if (decoded.isBroken) return reason('gate.broken');
      if (decoded.errors > value) return reason('gate.damaged', decoded.errors);
      const isCut = seconds !== undefined && decoded.seconds !== undefined && decoded.seconds < seconds * 0.9 - 2;
      return isCut ? reason('gate.decodedPart', tenths(decoded.seconds ?? 0), tenths(seconds)) : undefined;
    },
  },
  tiny: {
    kinds: MEDIA,
    unit: ' bytes',
    usual: 100,
    least: 1,
    most: 1_000_000_000,
    needs: 'nothing',
    look: ({ file: { bytes }, value }) => (bytes < value ? reason('gate.tiny', formatBytes(bytes)) : undefined),
  },
  short: {
    kinds: HEARD,
    unit: ' s',
    usual: 0.5,
    least: 0,
    most: 86_400,
    needs: 'length',
    look: ({ file: { seconds }, value }) =>
      seconds !== undefined && seconds < value ? reason('gate.short', tenths(seconds)) : undefined,
  },
  length: {
    kinds: HEARD,
    ...percent,
    usual: 20,
    needs: 'length',
    asks: ['seconds'],
    look: ({ file: { seconds }, asked, value }) => {
      if (seconds === undefined || asked.seconds === undefined) return undefined;
      const isOff = Math.abs(seconds - asked.seconds) > Math.max(0.5, (asked.seconds * value) / 100);
      return isOff ? reason('gate.length', tenths(seconds), tenths(asked.seconds)) : undefined;
    },
  },
  aspect: {
    kinds: SEEN,
    ...percent,
    usual: 5,
    needs: 'size',
    asks: ['aspect', 'orientation'],
    look: ({ file: { width, height }, asked, value }) => {
      if (width === undefined || height === undefined) return undefined;
      const is = width / height;
      const isOff = (wanted: number): boolean => Math.abs(Math.log(is / wanted)) > Math.log1p(value / 100);
      if (asked.aspect !== undefined && isOff(asked.aspect)) {
        return reason('gate.aspect', width, height, ratioText(is), ratioText(asked.aspect));
      }
      const seen = !isOff(1) ? 'square' : is > 1 ? 'landscape' : 'portrait';
      const { orientation } = asked;
      if (orientation === undefined || orientation === seen) return undefined;
      return reason('gate.orientation', width, height, orientation);
    },
  },
  resolution: {
    kinds: SEEN,
    ...percent,
    usual: 10,
    needs: 'size',
    asks: ['shortSide'],
    look: ({ file: { width, height }, asked: { shortSide }, value }) => {
      if (width === undefined || height === undefined || shortSide === undefined) return undefined;
      const isSmall = Math.min(width, height) < shortSide * (1 - value / 100);
      return isSmall ? reason('gate.resolution', width, height, shortSide) : undefined;
    },
  },
  silence: {
    kinds: HEARD,
    ...percent,
    usual: 50,
    needs: 'decoding',
    look: shareLook('silent', 'gate.silence'),
  },
  quiet: {
    kinds: ['music'],
    unit: ' LUFS',
    usual: -40,
    least: -70,
    most: 0,
    needs: 'decoding',
    look: ({ decoded, value }) => {
      const loudness = decoded?.loudness;
      return loudness !== undefined && loudness < value ? reason('gate.quiet', loudness) : undefined;
    },
  },
  loud: {
    kinds: ['music'],
    unit: ' LUFS',
    usual: -4,
    least: -70,
    most: 10,
    needs: 'decoding',
    look: ({ decoded, value }) => {
      const loudness = decoded?.loudness;
      return loudness !== undefined && loudness > value ? reason('gate.loud', loudness) : undefined;
    },
  },
  clipping: {
    kinds: HEARD,
    ...percent,
    usual: 2,
    needs: 'decoding',
    look: shareLook('clipped', 'gate.clipping'),
  },
  black: {
    kinds: SEEN,
    ...percent,
    usual: 50,
    needs: 'decoding',
    look: shareLook('black', 'gate.black'),
  },
  frozen: {
    kinds: ['video'],
    ...percent,
    usual: 80,
    needs: 'decoding',
    look: (looked) => (looked.asked.isStill === true ? undefined : stillFor(looked)),
  },
  blur: {
    kinds: SEEN,
    unit: '',
    usual: 14,
    least: 1,
    most: 100,
    needs: 'decoding',
    look: ({ decoded, value }) => {
      const blur = decoded?.blur;
      return blur !== undefined && blur > value ? reason('gate.blur', blur) : undefined;
    },
  },
  twin: {
    kinds: MEDIA,
    ...percent,
    usual: 1,
    needs: 'nothing',
    look: ({ file, decoded, others, value }) => {
      const same = others.find(({ sha256 }) => sha256 === file.sha256);
      if (same !== undefined) return reason('gate.same', same.path);
      const alike = others.find(({ print }) => printDistance(print ?? '', decoded?.print ?? '') < value);
      return alike === undefined ? undefined : reason('gate.alike', alike.path);
    },
  },
};

const stillFor = shareLook('frozen', 'gate.frozen');

/** Looks whether more of a file than the value allows is like that; all shares in %. */
function shareLook(
  fact: 'silent' | 'clipped' | 'black' | 'frozen',
  text: 'gate.silence' | 'gate.clipping' | 'gate.black' | 'gate.frozen',
): (looked: Looked) => Reason | undefined {
  return ({ decoded, value }) => {
    const share = decoded?.[fact];
    return share !== undefined && share > value ? reason(text, share) : undefined;
  };
}

function tenths(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}

function ratioText(ratio: number): string {
  const known = [
    [1, 1],
    [4, 3],
    [3, 2],
    [16, 9],
    [21, 9],
    [5, 4],
    [2, 1],
  ].flatMap(([a = 1, b = 1]) => [
    [a, b],
    [b, a],
  ]);
  const found = known.find(([a = 1, b = 1]) => Math.abs(ratio - a / b) < 0.01);
  return found === undefined ? `${Math.round(ratio * 100) / 100} : 1` : found.join(':');
}

/**
 * Every gate, in the order in which they are listed, with its words in the language in use when somebody reads them.
 */
export const GATES: Readonly<Record<GateCode, FileGate>> = mapRecord(RULES, (code, rules) => ({
  ...rules,
  get title() {
    return domainWords.operations.gates[code].title;
  },
  get rule() {
    return domainWords.operations.gates[code].rule;
  },
  get remedy() {
    return domainWords.operations.gates[code].remedy;
  },
}));

/** Which gates are on, with their values. */
export type GatesOn = Readonly<Partial<Record<GateCode, number>>>;
