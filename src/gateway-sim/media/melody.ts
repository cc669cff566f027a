import { SeededRandom } from '../random.ts';

/** Samples per second. At this rate, all MPEG-1 frames have the same whole number of bytes. */
export const SAMPLE_RATE = 32_000;

const SCALES: readonly (readonly number[])[] = [
  [0, 2, 4, 7, 9],
  [0, 3, 5, 7, 10],
  [0, 2, 3, 7, 8],
  [0, 2, 5, 7, 9],
];
const PEAK = 0.8 * 32_767;

/** A short tune with one channel and 16 bits: plucked notes over a bass, different for every number. */
export function composeMelody(number: number, seconds: number): Int16Array {
  const random = new SeededRandom('melody', number);
  const mix = new Float64Array(Math.round(seconds * SAMPLE_RATE));
  const scale = random.pick(SCALES);
  const root = 174.6 * 2 ** (random.below(12) / 12);
  const beatSeconds = random.between(0.2, 0.34);
  let degree = random.below(scale.length);
  for (let beat = 0; beat * beatSeconds < seconds - 0.3; beat += 1) {
    degree = Math.max(0, Math.min(scale.length * 2 - 1, degree + random.below(5) - 2));
    const pitch = root * 2 ** (semitones(scale, degree) / 12);
    if (beat % 4 === 0 || random.next() < 0.75) addNote(mix, beat * beatSeconds, 0.9, pitch, 0.3);
    if (beat % 4 === 0)
      addNote(mix, beat * beatSeconds, 1.4, (root / 2 ** (random.below(2) + 1)) * (beat % 8 ? 1.5 : 1), 0.4);
  }
  const loudest = mix.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0.001);
  const fadeFrom = mix.length - SAMPLE_RATE * 0.25;
  return Int16Array.from(mix, (sample, at) => {
    const fade = at < fadeFrom ? 1 : (mix.length - at) / (mix.length - fadeFrom);
    return Math.round((sample / loudest) * PEAK * fade);
  });
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
    let level = loudness * size;
    for (let at = 0; at < length; at += 1) {
      mix[start + at] = (mix[start + at] ?? 0) + Math.sin(step * at) * level * Math.min(1, at / 160);
      level *= decay;
    }
  }
}
