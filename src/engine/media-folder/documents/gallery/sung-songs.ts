/** What is sung in the songs of a batch and when: their lyrics as sent, and what other rows found out about them. */
import type { ExportedRow, ExportedTask } from '../../../../shared/domain/task/views/exported-row.ts';
import { parseLossless, type Json } from '../../../../shared/domain/base/json.ts';
import {
  beatsIn,
  inSeconds,
  likelySeconds,
  lyricLines,
  lyricsSent,
  songMeant,
  sungWordsIn,
  type LyricLine,
} from '../../../../shared/domain/review/timed-lyrics.ts';
import type { KeptPreview } from './kept-previews.ts';

/** The lyrics of a song; times in seconds. */
export interface SungSong {
  readonly lines: readonly LyricLine[];
  readonly beats: readonly number[];
}

export interface SungSongs {
  /** Takes in what rows say about songs; call it for all rows before asking for the songs. */
  note(exported: ExportedRow): void;
  /** What is sung in the songs of a row, by path. */
  of(exported: ExportedRow): Promise<ReadonlyMap<string, SungSong>>;
}

const LONGEST_DOCUMENT = 4 << 20;
/** How many of the documents about a song are read. */
const MOST_DOCUMENTS = 10;
/** For all songs together: a gallery must open in a moment. */
const MOST_CHARACTERS = 8 << 20;

/** Paths of documents about songs, by the task code of the take. */
type About = Map<string, string[]>;

/** Keeps only where something is said about songs, and reads it when a song is asked for. */
export function createSungSongs(
  read: (path: string) => Promise<string | undefined>,
  kept: (sha256: string) => Promise<KeptPreview | undefined>,
): SungSongs {
  const timings: About = new Map();
  const downbeats: About = new Map();
  let total = 0;

  async function said<T>(about: About, code: string, find: (document: unknown) => readonly T[]): Promise<readonly T[]> {
    for (const path of about.get(code) ?? []) {
      const found = find(parseLossless((await read(path)) ?? ''));
      if (found.length > 0) return found;
    }
    return [];
  }

  async function songOf(task: ExportedTask, output: ExportedTask['outputs'][number]): Promise<SungSong> {
    const lyrics = lyricsSent(requestOf(task));
    const first = task.outputs.find(({ mediaType }) => mediaType.startsWith('audio/'));
    const { taskCode } = task;
    if (taskCode === undefined || first !== output) return { lines: lyricLines(lyrics, [], 0), beats: [] };
    const words = await said(timings, taskCode, sungWordsIn);
    const times = await said(downbeats, taskCode, beatsIn);
    const preview = await kept(output.sha256);
    // If a song was not measured, it is about as long as what is said about it.
    const secondsBy = (starts: readonly number[]): number =>
      preview?.kind === 'sound' ? preview.sound.seconds : likelySeconds(starts);
    const beats = inSeconds(times, secondsBy(times)) ?? [];
    return {
      lines: lyricLines(lyrics, words, secondsBy(words.map(({ start }) => start))),
      beats: beats.filter((at) => at !== undefined),
    };
  }

  return {
    note({ row, tasks }) {
      for (const task of tasks) {
        const operation = task.operation ?? row.operation;
        const isTiming = operation === 'musicgen/music/timing';
        if (!isTiming && operation !== 'musicgen/music/downbeats') continue;
        const code = songMeant(requestOf(task));
        if (typeof code !== 'string') continue;
        const about = isTiming ? timings : downbeats;
        const paths = task.outputs
          .filter(({ mediaType, bytes }) => mediaType === 'application/json' && bytes <= LONGEST_DOCUMENT)
          .map(({ path }) => path);
        about.set(code, [...(about.get(code) ?? []), ...paths].slice(0, MOST_DOCUMENTS));
      }
    },
    async of({ row, tasks }) {
      const songs = new Map<string, SungSong>();
      for (const task of tasks) {
        if ((task.operation ?? row.operation) !== 'musicgen/music/generate') continue;
        for (const output of task.outputs.filter(({ mediaType }) => mediaType.startsWith('audio/'))) {
          const song = await songOf(task, output);
          if (song.lines.length + song.beats.length === 0 || total > MOST_CHARACTERS) continue;
          total += song.lines.reduce((sum, { text }) => sum + text.length, 0);
          songs.set(output.path, song);
        }
      }
      return songs;
    },
  };
}

function requestOf({ sent, request }: ExportedTask): Json | undefined {
  return sent ?? request;
}
