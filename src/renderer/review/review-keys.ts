/** Which keys do what while files are reviewed. */
import { words } from '../../shared/words/words.ts';

/** What a key asks of the stage: how the files are looked at and listened to. It decides nothing. */
export type StageCommand =
  | { readonly kind: 'play' | 'swap' | 'wipe' | 'loudness' | 'large' | 'pixels' | 'mute' }
  | { readonly kind: 'zoom' | 'frame' | 'seek' | 'speed'; readonly by: 1 | -1 };

/** What a key asks for. */
export type ReviewCommand =
  | StageCommand
  | { readonly kind: 'keep' | 'reject' | 'pick' | 'note' | 'undo' | 'keys' | 'add' | 'again' | 'through' | 'screen' }
  | { readonly kind: 'row' | 'file'; readonly by: 1 | -1 }
  | { readonly kind: 'rate'; readonly rating: number };

interface KeyPress {
  readonly key: string;
  /** Which key it is on the keyboard, whatever is written on it. */
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  /** It is held down. */
  readonly repeat: boolean;
}

const COMMANDS: Readonly<Record<string, ReviewCommand>> = {
  ArrowLeft: { kind: 'file', by: -1 },
  ArrowRight: { kind: 'file', by: 1 },
  'S ArrowLeft': { kind: 'seek', by: -1 },
  'S ArrowRight': { kind: 'seek', by: 1 },
  ArrowUp: { kind: 'row', by: -1 },
  ArrowDown: { kind: 'row', by: 1 },
  Enter: { kind: 'row', by: 1 },
  'S Enter': { kind: 'row', by: -1 },
  k: { kind: 'keep' },
  x: { kind: 'reject' },
  p: { kind: 'pick' },
  n: { kind: 'note' },
  u: { kind: 'undo' },
  'C z': { kind: 'undo' },
  ' ': { kind: 'play' },
  b: { kind: 'swap' },
  w: { kind: 'wipe' },
  f: { kind: 'large' },
  z: { kind: 'pixels' },
  '+': { kind: 'zoom', by: 1 },
  // On many keyboards this is the key for +, without Shift.
  '=': { kind: 'zoom', by: 1 },
  '-': { kind: 'zoom', by: -1 },
  m: { kind: 'mute' },
  l: { kind: 'loudness' },
  ',': { kind: 'frame', by: -1 },
  '.': { kind: 'frame', by: 1 },
  '<': { kind: 'speed', by: -1 },
  '>': { kind: 'speed', by: 1 },
  r: { kind: 'add' },
  a: { kind: 'again' },
  t: { kind: 'through' },
  s: { kind: 'screen' },
  '?': { kind: 'keys' },
};

/**
 * What a key is called here: a letter in lower case. On a keyboard for another script it is the letter in the same
 * place on a Latin one, as in other programs.
 */
export function nameOfKey({ key, code }: Pick<KeyPress, 'key' | 'code'>): string {
  const place = /^Key([A-Z])$/u.exec(code)?.[1];
  if (place !== undefined && /^\P{Script=Latin}$/u.test(key) && /\p{L}/u.test(key)) return place.toLowerCase();
  return key.length === 1 ? key.toLowerCase() : key;
}

/** What takes these keys itself: fields, the seek bar, a film's controls, a button that they press. */
export type KeyTarget = 'field' | 'slider' | 'button' | 'else';

/** What a key asks for; undefined if it has no meaning here, or if the focused part handles it itself. */
export function reviewCommandOf(press: KeyPress, target: KeyTarget): ReviewCommand | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey, repeat } = press;
  if (target === 'field' || altKey) return undefined;
  if (target === 'slider' && (key.startsWith('Arrow') || key === ' ')) return undefined;
  if (target === 'button' && (key === ' ' || key === 'Enter')) return undefined;
  const isCommand = ctrlKey || metaKey;
  // The key that redoes a step elsewhere must not undo another one here.
  if (isCommand && shiftKey) return undefined;
  if (!isCommand && /^[0-5]$/u.test(key)) return repeat ? undefined : { kind: 'rate', rating: Number(key) };
  // In a character, Shift is already included.
  const name = key.length === 1 ? nameOfKey(press) : `${shiftKey ? 'S ' : ''}${key}`;
  const pressed = isCommand ? `C ${name}` : name;
  const command = Object.hasOwn(COMMANDS, pressed) ? COMMANDS[pressed] : undefined;
  // The same decision again takes itself back: a key that is held down decides only once.
  return repeat && !(command !== undefined && 'by' in command) ? undefined : command;
}

const OF_STAGE = {
  play: true,
  swap: true,
  wipe: true,
  loudness: true,
  large: true,
  pixels: true,
  mute: true,
  zoom: true,
  frame: true,
  seek: true,
  speed: true,
} as const satisfies Record<StageCommand['kind'], true>;

/** Whether a command only asks how files are looked at. */
export function isOfStage(command: ReviewCommand): command is StageCommand {
  return Object.hasOwn(OF_STAGE, command.kind);
}

/** As they are listed in the review itself and in Help. */
export const REVIEW_KEYS: readonly (readonly [keys: readonly string[], action: string])[] = [
  [['←', '→'], words.review.keys.file],
  [['↑', '↓', 'Enter'], words.review.keys.row],
  [['K', 'X', 'P'], words.review.keys.decide],
  [['0', '…', '5'], words.review.keys.rate],
  [['N'], words.review.keys.note],
  [['A'], words.review.keys.again],
  [['U'], words.review.keys.undo],
  [['Space', 'M'], words.review.keys.play],
  [['T'], words.review.keys.through],
  [['Shift ←', 'Shift →'], words.review.keys.seek],
  [['<', '>'], words.review.keys.speed],
  [['B'], words.review.keys.swap],
  [[',', '.'], words.review.keys.frame],
  [['W'], words.review.keys.wipe],
  [['L'], words.review.keys.loudness],
  [['F'], words.review.keys.large],
  [['S'], words.review.keys.screen],
  [['+', '−', 'Z'], words.review.keys.zoom],
  [['R'], words.review.keys.add],
  [['?', 'Escape'], words.review.keys.keys],
];
