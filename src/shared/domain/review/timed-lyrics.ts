/**
 * When the words of a song are sung, from documents in undocumented formats: whatever looks like texts with times is
 * read, and none of it is trusted. Numbers keep the unit of the document until the length of the song shows which unit
 * it is.
 */
import { parseLossless, type Json } from '../base/json.ts';

/** A word or a line, and when it begins, in an unknown unit. */
export interface SungWord {
  readonly text: string;
  readonly start: number;
}

/** A line of the lyrics. */
export interface LyricLine {
  readonly text: string;
  /** In seconds; absent where no time is known. */
  readonly start?: number;
}

const TEXT_NAMES = ['word', 'text', 'line', 'lyric', 'lyrics', 'content', 'sentence', 'value'];
const START_NAMES = ['start', 'begin', 'from', 'time', 'at', 't', 'offset', 'timestamp'].flatMap((name) =>
  ['', 's', 'sec', 'seconds', 'ms', 'millis', 'milliseconds', 'time'].map((unit) => name + unit),
);
/** A document with more is not that of a song. */
const MOST_WORDS = 20_000;
const MOST_VALUES = 200_000;
const MOST_LINES = 2_000;
const LONGEST_TEXT = 500;
/** This much of each name identifies a place in a document: whole names may have megabytes, once for each value. */
const LONGEST_NAME = 100;
/** Nobody sings a longer text. */
const LONGEST_LYRICS = 50_000;
/** No song has more beats. */
const MOST_BEATS = 5_000;
/** No song lasts longer, and none is so short that all its times in milliseconds are below this number. */
const LONGEST_SONG_S = 1_500;
/** A clip may be measured as a little shorter than it is. */
const BEYOND_S = 2;
/** The share of the times that must lie within the song: a few stray ones are left out. */
const IN_SONG = 0.95;
/** The latest time lies beyond this share of the song, if its unit is right. */
const LEAST_SHARE = 0.02;
/** What is sung between two lines, such as a repeat, is skipped up to this many letters. */
const LOOK_AHEAD = 400;
/** This many letters at the beginning of a line identify it. */
const LETTERS_COMPARED = 14;
/** A line of words that are not in any lyrics ends after a pause, or when it is long. */
const PAUSE_S = 1.5;
const WORDS_IN_LINE = 9;

/**
 * The lyrics in a request for a song as it was sent; undefined if there are none: a single line is a description of the
 * song.
 */
export function lyricsSent(request: Json | undefined): string | undefined {
  const prompt = fieldSent(request, 'prompt');
  return typeof prompt === 'string' && prompt.trim().includes('\n') ? prompt.slice(0, LONGEST_LYRICS) : undefined;
}

/**
 * The task code of the song whose times a request asks for: the times are those of the first song of that take, because
 * the others are sung differently.
 */
export function songMeant(request: Json | undefined): Json | undefined {
  return fieldSent(request, 'clip_id');
}

function fieldSent(request: Json | undefined, name: string): Json | undefined {
  const isRequest = typeof request === 'object' && request !== null && !Array.isArray(request);
  return isRequest ? Object.entries(request).find(([one]) => one === name)?.[1] : undefined;
}

/** The texts with times of a document; empty if it has none. */
export function sungWordsIn(document: unknown): readonly SungWord[] {
  return largest(listsIn(document, wordOf));
}

/** The times of a document that are called beats, such as `downbeats`; empty if it has none. */
export function beatsIn(document: unknown): readonly number[] {
  const lists = listsIn(document, (value) => numberOf(value) ?? (isObject(value) ? startOf(value) : undefined));
  return largest(new Map([...lists].filter(([path]) => /beat/iu.test(path)))).slice(0, MOST_BEATS);
}

/** About how long the song with these times is, in seconds, if nobody has measured it. */
export function likelySeconds(times: readonly number[]): number {
  const last = times.toSorted((a, b) => a - b)[Math.ceil(times.length * IN_SONG) - 1] ?? 0;
  return last > LONGEST_SONG_S ? last / 1_000 : last;
}

/**
 * The same times in seconds; undefined if they cannot be those of a song of this length. Times beyond its end are left
 * out.
 */
export function inSeconds(times: readonly number[], songS: number): readonly (number | undefined)[] | undefined {
  const last = songS + BEYOND_S;
  const share = (unit: number): number => times.filter((time) => time / unit <= last).length / times.length;
  const latest = times.reduce((most, time) => Math.max(most, time), 0);
  // Seconds that are mistaken for milliseconds would all lie at the very beginning of the song.
  const unit = [1, 1_000].find((one) => share(one) >= IN_SONG && (one === 1 || latest / one >= songS * LEAST_SHARE));
  if (unit === undefined || !(songS > 0)) return undefined;
  return times.map((time) => (time / unit <= last ? time / unit : undefined));
}

/**
 * The lyrics line by line, each line with its time if the words give it.
 * @param lyrics As they were sent; undefined if the words of the document are all there is.
 */
export function lyricLines(
  lyrics: string | undefined,
  words: readonly SungWord[],
  songS: number,
): readonly LyricLine[] {
  const plain = (lyrics ?? '')
    .split(/\r\n|\r|\n/u)
    .flatMap((line) => (line.trim() === '' ? [] : [{ text: line.trim() }]));
  const lines = plain.slice(0, MOST_LINES);
  const seconds = inSeconds(
    words.map(({ start }) => start),
    songS,
  );
  if (seconds === undefined) return lines;
  const timed = words
    .flatMap(({ text }, at) => (seconds[at] === undefined ? [] : [{ text, start: seconds[at] }]))
    .toSorted((a, b) => a.start - b.start);
  const aligned = align(lines, timed);
  const sung = lines.filter(({ text }) => !isHeading(text)).length;
  const found = aligned.filter(({ start }) => start !== undefined).length;
  // What was sung may differ from what was sent.
  return sung > 0 && found >= sung / 2 ? aligned : linesOf(timed);
}

/** The index of the line that is sung at a moment of the song; -1 before the first, and where no time is known. */
export function lineAt(lines: readonly LyricLine[], positionS: number): number {
  return lines.findLastIndex(({ start }) => start !== undefined && start <= positionS);
}

/** Whether a line only names the part that follows, such as `[Chorus]`. */
export function isHeading(text: string): boolean {
  return /^\[.*\]$/u.test(text);
}

/**
 * Gives each line the time at which it begins, searching on from the line before. Letters are compared, not words: some
 * documents split words into syllables, and some languages have no spaces.
 */
function align(lines: readonly LyricLine[], words: readonly SungWord[]): readonly LyricLine[] {
  const starts = new Map<number, number>();
  let sung = '';
  for (const { text, start } of words) {
    for (const token of tokensOf(text)) {
      starts.set(sung.length, start);
      sung += token;
    }
  }
  let next = 0;
  return lines.map((line) => {
    const letters = isHeading(line.text) ? '' : tokensOf(line.text).join('');
    const beginning = letters.slice(0, LETTERS_COMPARED);
    const ahead = sung.slice(next, next + LOOK_AHEAD);
    let at = beginning === '' ? -1 : ahead.indexOf(beginning);
    // A line does not begin in the middle of a word.
    while (at !== -1 && !starts.has(next + at)) at = ahead.indexOf(beginning, at + 1);
    const start = at === -1 ? undefined : starts.get(next + at);
    if (start === undefined) return line;
    next += at + letters.length;
    return { ...line, start };
  });
}

/** Lines made from the words alone: as the document breaks them, or at pauses. */
function linesOf(words: readonly SungWord[]): readonly LyricLine[] {
  const tokens = words.reduce((sum, { text }) => sum + tokensOf(text).length, 0);
  const areLines = tokens > words.length * 2;
  const lines: { text: string; start: number; words: number }[] = [];
  let isNew = true;
  let before = 0;
  for (const { text, start } of words) {
    isNew ||= areLines || start - before > PAUSE_S;
    before = start;
    for (const [place, piece] of text.split(/\r\n|\r|\n/u).entries()) {
      isNew ||= place > 0;
      const word = piece.trim();
      if (word === '') continue;
      const last = lines.at(-1);
      if (isNew || last === undefined || last.words >= WORDS_IN_LINE) lines.push({ text: word, start, words: 1 });
      else {
        last.text += ` ${word}`;
        last.words += 1;
      }
      isNew = false;
    }
  }
  return lines.slice(0, MOST_LINES).map(({ text, start }) => ({ text, start }));
}

/** What `read` finds in the lists of a document, by their places; lists at places of the same kind count as one. */
function listsIn<T>(document: unknown, read: (value: unknown) => T | undefined): ReadonlyMap<string, T[]> {
  const found = new Map<string, T[]>();
  const waiting: { readonly value: unknown; readonly path: string }[] = [{ value: document, path: '' }];
  for (let seen = 0; seen < MOST_VALUES; seen += 1) {
    const next = waiting.pop();
    if (next === undefined) break;
    const { path } = next;
    const value = unfolded(next.value);
    if (Array.isArray(value)) {
      const list = found.get(path) ?? [];
      const items: readonly unknown[] = value.slice(0, MOST_WORDS);
      for (const item of items) {
        const one = list.length < MOST_WORDS ? read(item) : undefined;
        if (one !== undefined) list.push(one);
      }
      if (list.length > 0) found.set(path, list);
      // Reversed, because items are taken from the end.
      for (const item of items.toReversed()) if (typeof item === 'object') waiting.push({ value: item, path });
    } else if (isObject(value)) {
      for (const [name, item] of Object.entries(value).slice(0, 1_000))
        waiting.push({ value: item, path: `${path}.${name.slice(0, LONGEST_NAME)}` });
    }
  }
  return found;
}

/** Gateways like to put JSON into texts. */
function unfolded(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[{[]/u.test(value) ? parseLossless(value) : value;
}

function largest<T>(lists: ReadonlyMap<string, readonly T[]>): readonly T[] {
  return [...lists.values()].reduce<readonly T[]>((most, list) => (list.length > most.length ? list : most), []);
}

function wordOf(value: unknown): SungWord | undefined {
  if (!isObject(value)) return undefined;
  const named = new Map(Object.entries(value).map(([name, item]) => [plainName(name), item]));
  const text = TEXT_NAMES.map((name) => named.get(name)).find((one) => typeof one === 'string');
  const start = startOf(value);
  return text === undefined || start === undefined ? undefined : { text: text.slice(0, LONGEST_TEXT), start };
}

function startOf(value: Readonly<Record<string, unknown>>): number | undefined {
  const named = new Map(Object.entries(value).map(([name, item]) => [plainName(name), item]));
  return START_NAMES.map((name) => numberOf(named.get(name))).find((one) => one !== undefined);
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+(?:\.\d+)?$/u.test(value.trim()) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/gu, '');
}

function tokensOf(text: string): readonly string[] {
  // From one bracket to the next of either kind: with many opening brackets, none is looked at twice.
  const sung = text.replaceAll(/\[[^[\]]*\]/gu, ' ');
  return (
    sung
      .toLowerCase()
      .normalize('NFKC')
      .replaceAll(/['’]/gu, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
