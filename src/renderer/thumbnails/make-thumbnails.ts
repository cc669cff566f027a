/**
 * The program of the page that makes small pictures of files, one after the other: see `src/main/thumbnails`. It has
 * nothing but the addresses below, and is ended when it takes too long.
 */

/** The longest side of a picture, in pixels: sharp on a screen with two pixels for each point. */
const SIDE = 400;
const SOUND = { width: 400, height: 160, bars: 100 };
const QUALITY = 0.8;
/** An 8K picture has 33 million pixels, each of which takes four bytes of memory. */
const MOST_PIXELS = 64_000_000;
/** A longer sound takes more memory than its picture is worth: at 48 kHz a minute has some 23 MB. */
const LONGEST_SOUND_S = 20 * 60;
/** Loudness is measured at the full rate, with filtered copies beside it. */
const LONGEST_MEASURED_S = 10 * 60;
/** For the waveform in the player: one level for each point of a wide window. */
const LEVELS = 1_000;
/** Enough to distinguish loud from quiet. */
const SOUND_RATE = 8_000;
/** The filters of BS.1770 are given for this rate, each with its feedforward and its feedback coefficients. */
const LOUDNESS_RATE = 48_000;
const HEAD_FILTER = [
  [1.53512485958697, -2.69169618940638, 1.19839281085285],
  [1, -1.69065929318241, 0.73248077421585],
] as const satisfies [readonly number[], readonly number[]];
const LOW_FILTER = [
  [1, -2, 1],
  [1, -1.99004745483398, 0.99007225036621],
] as const satisfies [readonly number[], readonly number[]];
/** Blocks below this do not count, nor do those that are this much quieter than the mean of the others. */
const SILENCE_LUFS = -70;
const QUIETER_LU = 10;
/** Visible on a light and on a dark background. */
const SOUND_COLOR = '#c08a3e';

interface NextFile {
  readonly number: number;
  readonly kind: 'image' | 'video' | 'audio' | 'sound';
}

async function run(): Promise<never> {
  for (let after = 0; ;) {
    const next = (await (await fetch(`/next?after=${after}`)).json()) as NextFile;
    const body = await draw(next).catch(() => undefined);
    await fetch(`/made?job=${next.number}`, { method: 'POST', body: body ?? null });
    after = next.number;
  }
}

/** Rejects if the file cannot be drawn. */
async function draw({ number, kind }: NextFile): Promise<Blob | string> {
  const address = `/file?job=${number}`;
  switch (kind) {
    case 'image':
      return drawPicture(address);
    case 'video':
      return drawFilm(address);
    case 'audio':
      return drawSound(address);
    case 'sound':
      return JSON.stringify(await measured(address));
  }
}

/** Its size is known once its head is read, before anything is decoded. */
async function drawPicture(address: string): Promise<Blob> {
  const picture = new Image();
  await new Promise((resolve, reject) => {
    picture.addEventListener('load', resolve);
    picture.addEventListener('error', reject);
    picture.src = address;
  });
  return drawSmall(picture, picture.naturalWidth, picture.naturalHeight);
}

/** Its first frame. */
async function drawFilm(address: string): Promise<Blob> {
  const film = document.createElement('video');
  film.muted = true;
  film.preload = 'auto';
  try {
    await new Promise((resolve, reject) => {
      film.addEventListener('loadeddata', resolve);
      film.addEventListener('error', reject);
      film.src = address;
    });
    return await drawSmall(film, film.videoWidth, film.videoHeight);
  } finally {
    // Stops reading the rest.
    film.removeAttribute('src');
    film.load();
  }
}

async function drawSmall(source: HTMLImageElement | HTMLVideoElement, width: number, height: number): Promise<Blob> {
  if (width * height === 0 || width * height > MOST_PIXELS) throw new Error('It is no picture, or too large.');
  const scale = Math.min(1, SIDE / Math.max(width, height));
  const resizeWidth = Math.max(1, Math.round(width * scale));
  const resizeHeight = Math.max(1, Math.round(height * scale));
  const bitmap = await createImageBitmap(source, { resizeWidth, resizeHeight, resizeQuality: 'medium' });
  const { canvas, context } = newCanvas(resizeWidth, resizeHeight);
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  return encode(canvas);
}

/** Draws how loud a sound is from its beginning to its end. */
async function drawSound(address: string): Promise<Blob> {
  const sound = await decoded(address, SOUND_RATE, LONGEST_SOUND_S);
  const { width, height, bars } = SOUND;
  const { canvas, context } = newCanvas(width, height);
  context.fillStyle = SOUND_COLOR;
  const peaks = peaksOf(sound, bars);
  const loudest = Math.max(...peaks, 0.01);
  for (const [at, peak] of peaks.entries()) {
    const tall = Math.max(2, (peak / loudest) * height * 0.92);
    context.roundRect(at * (width / bars) + 0.5, (height - tall) / 2, width / bars - 1.5, tall, 1);
  }
  context.fill();
  return encode(canvas);
}

/** A `SoundView`: the levels and, if the sound is not too long for that, its loudness. */
async function measured(address: string): Promise<{ levels: readonly number[]; lufs?: number; peakDb?: number }> {
  const whole = await decoded(address, LOUDNESS_RATE, LONGEST_MEASURED_S).catch(() => undefined);
  const sound = whole ?? (await decoded(address, SOUND_RATE, LONGEST_SOUND_S));
  const peaks = peaksOf(sound, Math.max(1, Math.min(LEVELS, sound.length)));
  // Levels above what a file can hold are cut off.
  const levels = peaks.map((peak) => Math.round(Math.min(1, peak) * 1_000) / 1_000);
  if (whole === undefined) return { levels };
  const lufs = await loudnessOf(whole).catch(() => undefined);
  const peakDb = 20 * Math.log10(Math.max(...peaks));
  return {
    levels,
    ...(lufs !== undefined && { lufs: rounded(lufs) }),
    ...(Number.isFinite(peakDb) && { peakDb: rounded(peakDb) }),
  };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

async function decoded(address: string, rate: number, longest: number): Promise<AudioBuffer> {
  await checkLength(address, longest);
  const bytes = await (await fetch(address)).arrayBuffer();
  return new OfflineAudioContext(1, 1, rate).decodeAudioData(bytes);
}

/** Reads the length from the head, before the whole file is in memory. */
async function checkLength(address: string, longest: number): Promise<void> {
  const player = new Audio();
  player.preload = 'metadata';
  try {
    await new Promise((resolve, reject) => {
      player.addEventListener('loadedmetadata', resolve);
      player.addEventListener('error', reject);
      player.src = address;
    });
    if (!(player.duration <= longest)) throw new Error('It is too long.');
  } finally {
    player.removeAttribute('src');
    player.load();
  }
}

/** The loudest moment of each part, from 0. */
function peaksOf(sound: AudioBuffer, parts: number): readonly number[] {
  const channels = Array.from({ length: sound.numberOfChannels }, (_, at) => sound.getChannelData(at));
  const length = sound.length / parts;
  return Array.from({ length: parts }, (_, part) => {
    let peak = 0;
    for (const samples of channels) {
      const end = Math.min(samples.length, Math.ceil((part + 1) * length));
      for (let at = Math.floor(part * length); at < end; at += 1) peak = Math.max(peak, Math.abs(samples[at] ?? 0));
    }
    return peak;
  });
}

function newCanvas(width: number, height: number) {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('Nothing can be drawn.');
  return { canvas, context };
}

function encode(canvas: OffscreenCanvas): Promise<Blob> {
  return canvas.convertToBlob({ type: 'image/webp', quality: QUALITY });
}

/**
 * The loudness of a whole sound in LUFS, by ITU-R BS.1770-5: its filter for how loud the ear hears each pitch, then the
 * mean of the blocks that are neither silent nor far quieter than the others. Rejects if no block is left.
 */
async function loudnessOf(sound: AudioBuffer): Promise<number> {
  const context = new OfflineAudioContext(sound.numberOfChannels, sound.length, LOUDNESS_RATE);
  const source = new AudioBufferSourceNode(context, { buffer: sound });
  source
    .connect(context.createIIRFilter(...HEAD_FILTER))
    .connect(context.createIIRFilter(...LOW_FILTER))
    .connect(context.destination);
  source.start();
  const heard = await context.startRendering();
  const powers = blockPowers(heard);
  const above = (gate: number, of: readonly number[]): readonly number[] => of.filter((power) => lufsOf(power) > gate);
  const loud = above(SILENCE_LUFS, powers);
  const counted = above(lufsOf(meanOf(loud)) - QUIETER_LU, loud);
  const lufs = lufsOf(meanOf(counted));
  if (!Number.isFinite(lufs)) throw new Error('It is silent.');
  return lufs;
}

/** The power of each block of 400 ms, one every 100 ms, over all channels together. */
function blockPowers(sound: AudioBuffer): readonly number[] {
  const step = LOUDNESS_RATE / 10;
  const channels = Array.from({ length: sound.numberOfChannels }, (_, at) => sound.getChannelData(at));
  const steps = Array.from({ length: Math.floor(sound.length / step) }, (_, at) => {
    let sum = 0;
    for (const samples of channels) for (let i = at * step; i < (at + 1) * step; i += 1) sum += (samples[i] ?? 0) ** 2;
    return sum / step;
  });
  return steps.slice(3).map((_, at) => meanOf(steps.slice(at, at + 4)));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function lufsOf(power: number): number {
  return -0.691 + 10 * Math.log10(power);
}

void run();
