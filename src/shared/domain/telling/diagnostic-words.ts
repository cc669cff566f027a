/**
 * What a helper may see of texts that others have written. Texts are not searched for what must stay hidden: only the
 * program's own words pass, so that no prompt, name or key gets through, however it is written.
 */
import { FAILURE_CODES } from '../base/failure.ts';
import { DEFAULT_PROFILE, ERROR_MEANINGS, STATUS_MEANINGS } from '../gateway/profile.ts';
import { FAMILIES, OPERATION_PATHS } from '../operations/operations.ts';
import { ROW_VIEW_STATUSES } from '../task/row-status.ts';

const OUTCOMES = ['accepted', 'not-sent', 'rate-limited', 'held', 'rejected', 'unknown', 'interrupted', 'asked-again'];
const STATES = ['ready', 'running', 'paused', 'finished', 'user', 'failure', 'open', 'charged', 'none'];
const SETTINGS = ['system', 'light', 'dark', 'query', 'path', 'detect', 'body', 'header', 'replay', 'reject'];

const OWN_WORDS: ReadonlySet<string> = new Set([
  ...FAILURE_CODES,
  ...FAMILIES,
  ...OPERATION_PATHS,
  ...ROW_VIEW_STATUSES,
  ...OUTCOMES,
  ...STATES,
  ...SETTINGS,
  ...STATUS_MEANINGS,
  ...ERROR_MEANINGS,
]);

/** One of the program's own words as it is; anything else becomes “other”. */
export function ownWord(word: unknown): string {
  return typeof word === 'string' && OWN_WORDS.has(word) ? word : 'other';
}

const OPTIONAL_KEYS = ['idempotency', 'onDuplicate', 'keepHours', 'cost', 'currency', 'balance', 'field', 'header'];
const LISTED_KEYS = ['amount', 'match', 'means', 'in', 'name', 'path'];

const PROFILE_KEYS: ReadonlySet<string> = new Set([...keysIn(DEFAULT_PROFILE), ...OPTIONAL_KEYS, ...LISTED_KEYS]);

function keysIn(value: unknown): readonly string[] {
  if (!isDocument(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysIn(inner)]);
}

/** The settings in which a profile differs from the default one: numbers, choices, and that there is a text. */
export function profileLines(profile: unknown): readonly string[] {
  if (!isDocument(profile)) return ['none'];
  const standard: Readonly<Record<string, unknown>> = { ...DEFAULT_PROFILE };
  return Object.entries(profile)
    .filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(standard[key]))
    .map(
      ([key, value]) => `${ownKey(key)}: ${key === 'baseUrl' ? addressKind(value) : JSON.stringify(shapeOf(value))}`,
    );
}

function addressKind(value: unknown): string {
  const scheme = typeof value === 'string' ? /^https?(?=:\/\/)/u.exec(value)?.[0] : undefined;
  return scheme === undefined ? 'none' : `${scheme}, host left out`;
}

const MOST_ITEMS = 40;

function shapeOf(value: unknown): unknown {
  if (typeof value === 'string') return OWN_WORDS.has(value) ? value : '(text)';
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map(shapeOf);
  if (!isDocument(value)) return value;
  const entries = Object.entries(value).slice(0, MOST_ITEMS);
  return Object.fromEntries(entries.map(([key, inner]) => [ownKey(key), shapeOf(inner)]));
}

function ownKey(key: string): string {
  return PROFILE_KEYS.has(key) || OWN_WORDS.has(key) || /^-?\d{1,4}$/u.test(key) ? key : '(text)';
}

export function isDocument(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What the log says in fixed words, with the program's own numbers and names in between. */
const LOG_MESSAGES: readonly RegExp[] = [
  /^(?:the engine’s answer is not understood|input of more than 1 MiB rejected|invalid input rejected)/u,
  /^a message of the engine is not understood/u,
  /^the engine’s process (?:did not come to its end and was ended|was silent for \d+ s and was ended|ended with code -?\d+)$/u,
  /^what (?:was told of the night|is done after the night) could not be noted$/u,
  /^the place of the window could not be noted$/u,
  // What follows may contain addresses and folders.
  /^(?:update[sr]|the update was not put in place|the page for small pictures could not be opened)(?=: )/u,
  /^(?:what is known of updates could not be noted|older backups could not be removed)$/u,
  /^after the night: (?:nothing|quit|sleep|shutdown)$/u,
  /^the window’s page ended: (?:clean-exit|abnormal-exit|killed|crashed|oom|launch-failed|integrity-failure|memory-eviction)$/u,
  /^the page for small pictures: [a-z]{4,8} (?:took too long|ended it: [a-z-]{2,20})$/u,
  /^permission [A-Za-z-]+ denied$/u,
  /^(?:navigation away from the application blocked|a new window was denied)$/u,
  /^request (?:from a foreign frame|for an unknown route) rejected$/u,
];

const LOG_LINE = /^(\d{4}-\d{2}-\d{2}T[\d:.]{8,12}Z (?:info|warning|error)) (.*)$/u;
const KIND = /^(?:Uncaught )?((?:Type|Range|Reference|Syntax|Eval|URI|Aggregate|Zod|StoreWrite|StoreTaken)?Error)\b/u;
const PLACE = /^at .*?([^/\\()\s]+):(\d{1,7}:\d{1,7})\)?$/u;
const SUBJECT = /^([a-z]+\.[A-Za-z]+|the engine’s process): (.*)$/u;

/**
 * A line of the log for somebody else: what it says in fixed words, kinds of errors, and places in the code.
 * @param own The names of the program's files and requests; for others, the line only says that there was one.
 */
export function logLineForOthers(line: string, own: ReadonlySet<string>): string {
  const [, head, message = ''] = LOG_LINE.exec(line) ?? [];
  if (head === undefined) return '(a line left out)';
  const whole = fixedWordsOf(message);
  if (whole !== undefined) return `${head} ${whole}`;
  const [, subject, rest = message] = SUBJECT.exec(message) ?? [];
  const cause = rest
    .split(/ *⏎ */u)
    .flatMap((part) => fixedWordsOf(part) ?? KIND.exec(part)?.[1] ?? placeIn(part.trim(), own))
    .join(' ');
  const about =
    subject === undefined ? '' : `${subject.startsWith('the ') || own.has(subject) ? subject : '(a request)'}: `;
  return `${head} ${about}${cause === '' ? '(left out)' : cause}`;
}

function fixedWordsOf(text: string): string | undefined {
  return LOG_MESSAGES.map((one) => one.exec(text)?.[0]).find((found) => found !== undefined);
}

function placeIn(part: string, own: ReadonlySet<string>): readonly string[] {
  const [, file, at] = PLACE.exec(part) ?? [];
  return file === undefined || at === undefined ? [] : [`at ${own.has(file) ? file : '(a file)'}:${at}`];
}
