/** The files of a batch, one by one, and their small pictures. */
import { z } from 'zod';
import { GATE_CODES } from '../domain/gates/gates.ts';
import { OPERATION_PATHS } from '../domain/operations/operations.ts';
import { BEST_RATING } from '../domain/review/verdict.ts';
import { FILES_AT_ONCE, FILE_VERSIONS, SEEN_VERDICTS, type FileFilter } from '../domain/task/batch-view.ts';
import { batchRef, engine, main, none, rowRef, type Seen } from './route.ts';
import { fileView } from './rows.ts';

const fileId = z.string().max(64);

/** A file as the gallery shows it; its verdict says whether it is the picked one. */
export const viewedFileView = fileView.extend({
  /** The key of its row. */
  key: z.int(),
  row: z.string(),
  label: z.string(),
  operation: z.enum(OPERATION_PATHS),
  take: z.int(),
  /** What the gates say about it; empty if nothing. */
  flags: z.array(z.strictObject({ gate: z.enum(GATE_CODES), message: z.string() })),
  /** Its row had it before it was changed or rendered again. */
  isEarlier: z.literal(true).optional(),
});
export type ViewedFileView = Seen<typeof viewedFileView>;

/** The waveform of a song or of a film's sound, and how loud it is. */
export const soundView = z.strictObject({
  /** According to EBU R128, in LUFS; absent if it is silent, or too long to be measured. */
  lufs: z.number().optional(),
  /** The loudest sample, in dB relative to the most that a file can hold; absent like `lufs`. */
  peakDb: z.number().optional(),
  /** The loudest moment in each of equally long parts, from 0 to 1. */
  levels: z.array(z.number().min(0).max(1)).max(2_000),
});
export type SoundView = Seen<typeof soundView>;

/** What is sung in a song. Times have whatever unit their document has. */
const songWordsView = z.strictObject({
  /** As they were sent. */
  lyrics: z.string().optional(),
  /** When they are sung, from a row that refers to the song. */
  words: z.array(z.strictObject({ text: z.string(), start: z.number() })),
  /** When its beats come, from another such row. */
  beats: z.array(z.number()),
});
export type SongWordsView = Seen<typeof songWordsView>;

const fileFilter = z.strictObject({
  version: z.enum(FILE_VERSIONS).optional(),
  operation: z.enum(OPERATION_PATHS).optional(),
  verdict: z.enum(SEEN_VERDICTS).optional(),
  minRating: z.int().min(0).max(BEST_RATING).optional(),
  flagged: z.enum(['any', ...GATE_CODES]).optional(),
  text: z.string().max(500).optional(),
}) satisfies z.ZodType<FileFilter>;

export const fileRoutes = {
  /**
   * Which files pass, in the order of the sheet, those of a row as it is now first: of each the number of its take, and
   * its own there, as its id has them.
   */
  'files.found': engine.quick(
    batchRef.extend({ filter: fileFilter }),
    z.strictObject({ files: z.instanceof(Float64Array) }),
  ),
  /** Files by their ids; those that are gone are left out. */
  'files.get': engine.quick(
    batchRef.extend({ fileIds: z.array(fileId).max(FILES_AT_ONCE) }),
    z.strictObject({ files: z.array(viewedFileView) }),
  ),
  /** What a person would read in a short JSON document, such as lyrics; `problem` says why there is nothing to read. */
  'file.words': engine.quick(
    z.strictObject({ fileId }),
    z.strictObject({ title: z.string().optional(), words: z.string(), problem: z.string().optional() }),
  ),
  /** Copies the path of a file to the clipboard, or what a person would read in it. */
  'file.copy': main.command(z.strictObject({ fileId, what: z.enum(['path', 'words']) }), none),
  /** The lyrics of a song, from its row as it is now, and when they are sung. */
  'song.words': engine.query(rowRef.extend({ fileId }), songWordsView),
  /** How a song or a film sounds; undefined if it is long, or cannot be decoded here. */
  'file.sound': main.query(z.strictObject({ fileId }), soundView.optional()),
  /**
   * Has the system drag files out of the window to another program: all of them, or none if one is missing or is no
   * longer as it was verified.
   */
  'files.drag': main.command(batchRef.extend({ fileIds: z.array(fileId).min(1).max(FILES_AT_ONCE) }), none),
  /**
   * The files whose small pictures are on screen, in the order in which they are seen: pictures are made of no other
   * files.
   */
  'files.inSight': main.query(z.strictObject({ fileIds: z.array(fileId).max(FILES_AT_ONCE) }), none),
};
