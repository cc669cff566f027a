/**
 * The program of the page that draws files small, one after the other: see `src/main/thumbnails`. It has nothing but the
 * addresses below, and is ended when it takes too long.
 */

/** The longest side of a picture, in pixels: sharp on a screen with two for each point. */
const SIDE = 400;
const SOUND = { width: 400, height: 160, bars: 100 };
const QUALITY = 0.8;
/** A picture of 8K has 33 million: each takes four bytes of memory. */
const MOST_PIXELS = 64_000_000;
/** A longer sound takes more memory than its picture is worth: at 48 kHz a minute has some 23 MB. */
const LONGEST_SOUND_S = 20 * 60;
/** Enough to see loud from quiet. */
const SOUND_RATE = 8_000;
/** Seen on light and on dark ground. */
const SOUND_COLOR = '#c08a3e';

interface NextFile {
  readonly number: number;
  readonly kind: 'image' | 'video' | 'audio';
}

async function run(): Promise<never> {
  for (let after = 0; ;) {
    const next = (await (await fetch(`/next?after=${after}`)).json()) as NextFile;
    const body = await draw(next).catch(() => undefined);
    await fetch(`/made?job=${next.number}`, { method: 'POST', body: body ?? null });
    after = next.number;
  }
}

/** Rejects for what cannot be drawn. */
async function draw({ number, kind }: NextFile): Promise<Blob> {
  const address = `/file?job=${number}`;
  switch (kind) {
    case 'image':
      return drawPicture(address);
    case 'video':
      return drawFilm(address);
    case 'audio':
      return drawSound(address);
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

/** How loud it is from its beginning to its end. */
async function drawSound(address: string): Promise<Blob> {
  await checkLength(address);
  const bytes = await (await fetch(address)).arrayBuffer();
  const sound = await new OfflineAudioContext(1, 1, SOUND_RATE).decodeAudioData(bytes);
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

/** What its head says, before all of it is in memory. */
async function checkLength(address: string): Promise<void> {
  const player = new Audio();
  player.preload = 'metadata';
  try {
    await new Promise((resolve, reject) => {
      player.addEventListener('loadedmetadata', resolve);
      player.addEventListener('error', reject);
      player.src = address;
    });
    if (!(player.duration <= LONGEST_SOUND_S)) throw new Error('It is too long.');
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

void run();
