import { countOf } from '../../../domain/base/text.ts';

/** What is wrong with the bytes of a file: each follows its name, or “it”. */
export const mediaWords = {
  tooManyPieces: 'consists of more pieces than any recording has',
  damagedAt: (byte: number): string => `is damaged at byte ${byte}`,
  cutHeader: 'is cut off in its header',
  noPicture: 'has no picture in it',
  noSound: 'has no sound in it',
  noFormat: 'has no format in it',
  /** @param says Bytes, like `has`. */
  cutBytes: (says: number, has: number): string => `is cut off: it says ${says} bytes and has ${has}`,
  cutFrames: (announced: number, has: number): string => `is cut off: it announces ${announced} frames and has ${has}`,
  cutSamples: (announced: number, has: number): string =>
    `is cut off: it announces ${announced} samples and has ${has}`,

  // Films and songs in MP4
  cutBetweenBoxes: 'is cut off between two boxes',
  cutBox: (box: string): string => `is cut off inside its "${box}" box`,
  noMovieHeader: 'has no movie header: it is cut off before its end',
  longMovieHeader: 'has a movie header that is too long',
  damagedMovieHeader: 'has a damaged movie header',
  noMediaData: 'has no media data: it is cut off before its end',
  cutFirstFragment: 'is cut off before its first fragment',
  cutFragmentData: 'is cut off before the data of its last fragment',
  cutLastFragment: 'is cut off before its last fragment',
  noSamples: 'has no samples in it',
  cutLastSamples: 'is cut off: its last samples are missing',

  // WebM
  cutElements: 'is cut off or damaged between two elements',
  cutLastElement: 'is cut off inside its last element',
  cutFirstPicture: 'is cut off before its first picture',

  // Ogg
  cutPage: 'is cut off inside its last page',
  damagedPage: 'is cut off or damaged inside a page',
  tooManyStreams: 'has more streams in it than any recording has',
  missingPage: 'has a page missing',
  cutLastPage: 'is cut off before its last page',

  // FLAC and MP3
  noStreamInfo: 'has no stream information',
  damagedLastFrame: 'is cut off or damaged inside its last frame',
  cutLastFrame: 'is cut off inside its last frame',
  cutFirstSound: 'is cut off before its first sound',
  cutTag: 'is cut off inside a tag',

  // Pictures, and WAV
  cutEndMarker: 'is cut off before its end marker',
  damagedSegment: (byte: number): string => `has a damaged segment at byte ${byte}`,
  cutPicture: 'is cut off inside its picture',
  cutTrailer: 'is cut off before its trailer',
  cutAPicture: 'is cut off inside a picture',
  noLastChunk: 'ends before its last chunk',
  damagedChunkAt: (byte: number): string => `has a damaged chunk at byte ${byte}`,
  cutAChunk: (chunk: string): string => `is cut off inside a ${chunk} chunk`,
  noHeaderFirst: 'does not begin with its header',
  damagedChunk: (chunk: string): string => `has a damaged ${chunk} chunk`,
  cutChunk: (chunk: string): string => `is cut off inside its "${chunk}" chunk`,
  damagedLastChunk: 'has a damaged chunk at its end',

  // What cannot be verified
  webPage: 'is a web page',
  unknownKind: 'is of a kind that cannot be verified',
  text: 'is text',
  textBegins: (excerpt: string): string => `is text that begins with “${excerpt}”`,
  notChecked: 'was not checked',
  notFullyChecked: 'was not fully checked',
  notInTime: (seconds: number): string => `could not be checked within ${seconds} seconds`,
  stoppedTwice: 'could not be checked: the engine stopped twice while checking it',
  uncheckable: (why: string): string => `could not be checked: ${why}`,
  memory: 'it needs more memory than a check may use',
  noVerdict: 'the check ended without an answer',
};
export type MediaWords = typeof mediaWords;

/** What gates find in a file; each is a sentence. Lengths are in seconds, sizes in pixels. */
export const gateWords = {
  broken: 'It cannot be decoded to its end.',
  damaged: (places: number): string => `It has ${countOf(places, 'damaged place')}.`,
  decodedPart: (seconds: number, of: number): string => `Only ${seconds} s of its ${of} s can be decoded.`,
  tiny: (size: string): string => `It has only ${size}.`,
  short: (seconds: number): string => `It lasts only ${seconds} s.`,
  length: (seconds: number, asked: number): string => `It lasts ${seconds} s; the row asks for ${asked} s.`,
  aspect: (width: number, height: number, is: string, asked: string): string =>
    `It is ${width} × ${height}, which is ${is}; the row asks for ${asked}.`,
  orientation: (width: number, height: number, asked: Orientation): string =>
    `It is ${width} × ${height}; the row asks for ${asked}.`,
  resolution: (width: number, height: number, shortSide: number): string =>
    `It is ${width} × ${height}; the row asks for at least ${shortSide} pixels a side.`,
  silence: (percent: number): string => `${percent} % of it is silent.`,
  quiet: (lufs: number): string => `Its loudness is only ${lufs} LUFS.`,
  loud: (lufs: number): string => `Its loudness is ${lufs} LUFS.`,
  clipping: (percent: number): string => `${percent} % of its samples are cut off at full level.`,
  black: (percent: number): string => `${percent} % of it is black.`,
  frozen: (percent: number): string => `Its picture stands still for ${percent} % of its length.`,
  blur: (blur: number): string => `It is blurred: its edges measure ${blur}.`,
  same: (path: string): string => `It is the same file as ${path}.`,
  alike: (path: string): string => `It looks the same as ${path}.`,
};
export type GateWords = typeof gateWords;
export type Orientation = 'landscape' | 'portrait' | 'square';
