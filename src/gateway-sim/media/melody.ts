import { SeededRandom } from '../random.ts';
import { MP3_SAMPLES_PER_FRAME, SAMPLE_RATE } from './sound-files.ts';

/** A phrase in samples: twenty whole frames of MP3. Encoding a second takes a tenth of one, so tunes share phrases. */
const PHRASE_LENGTH = 20 * MP3_SAMPLES_PER_FRAME;
const PHRASES = 7;

const SCALE = [0, 2, 4, 7, 9];
const ROOT_HERTZ = 196;
const BEATS = 3;
const PEAK = 0.8 * 32_767;
const FADE_LENGTH = SAMPLE_RATE / 20;

/** The phrases of a tune with this many, in order; another `tune` mostly gives other phrases. */
export function phrasesOf(tune: number, count: number): readonly number[] {
  const random = new SeededRandom('tune', tune);
  return Array.from({ length: count }, () => random.below(PHRASES));
}

/**
 * A phrase, with one channel and 16 bits: plucked notes over a bass. It ends in silence, so that any other may follow.
 */
export function composePhrase(number: number): Int16Array {
  const random = new SeededRandom('phrase', number);
  const mix = new Float64Array(PHRASE_LENGTH);
  const seconds = PHRASE_LENGTH / SAMPLE_RATE;
  let degree = random.below(SCALE.length * 2);
  for (let beat = 0; beat < BEATS; beat += 1) {
    degree = Math.max(0, Math.min(SCALE.length * 2 - 1, degree + random.below(5) - 2));
    addNote(mix, (beat / BEATS) * seconds, 0.9, ROOT_HERTZ * 2 ** (semitones(SCALE, degree) / 12), 0.3);
  }
  addNote(mix, 0, seconds, (ROOT_HERTZ / 2) * 2 ** (semitones(SCALE, number % SCALE.length) / 12), 0.4);
  let loudest = 0.001;
  for (const sample of mix) loudest = Math.max(loudest, Math.abs(sample));
  const samples = new Int16Array(PHRASE_LENGTH);
  for (let at = 0; at < PHRASE_LENGTH; at += 1) {
    const fade = Math.min(1, (PHRASE_LENGTH - at) / FADE_LENGTH);
    samples[at] = Math.round(((mix[at] ?? 0) / loudest) * PEAK * fade);
  }
  return samples;
}

function semitones(scale: readonly number[], degree: number): number {
  return (scale[degree % scale.length] ?? 0) + 12 * Math.floor(degree / scale.length);
}

/** A plucked string, roughly: a few partials, of which the higher ones fade faster. */
function addNote(mix: Float64Array, startSeconds: number, seconds: number, hertz: number, loudness: number): void {
  const start = Math.round(startSeconds * SAMPLE_RATE);
  const length = Math.min(Math.round(seconds * SAMPLE_RATE), mix.length - start);
  for (const [partial, size] of [
    [1, 1],
    [2, 0.4],
    [3, 0.16],
  ] as const) {
    const step = (2 * Math.PI * hertz * partial) / SAMPLE_RATE;
    const decay = Math.exp((-4.2 * partial ** 0.6) / SAMPLE_RATE / seconds);
    // The wave as a pointer that is turned by one step and shortened for each sample: no sine is computed for it.
    const [along, across] = [Math.cos(step) * decay, Math.sin(step) * decay];
    let [x, y] = [loudness * size, 0];
    for (let at = 0; at < length; at += 1) {
      mix[start + at] = (mix[start + at] ?? 0) + y * Math.min(1, at / 160);
      const turned = x * along - y * across;
      y = x * across + y * along;
      x = turned;
    }
  }
}
