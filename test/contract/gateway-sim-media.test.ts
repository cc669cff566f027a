import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/shared/domain/base/json.ts';
import type { OperationPath } from '../../src/shared/domain/operations/operations.ts';
import { download, openGateway, renderedUrls } from './gateway-sim-client.ts';

/** Files are read back by other people's readers: what plays here plays elsewhere. */

async function filesOf(path: OperationPath, body: JsonObject): Promise<readonly Buffer[]> {
  const gateway = await openGateway();
  const urls = await renderedUrls(gateway, path, body);
  return Promise.all(urls.map(async (url) => (await download(url)).content));
}

async function fileOf(path: OperationPath, body: JsonObject): Promise<Buffer> {
  const [file] = await filesOf(path, body);
  if (!file) throw new Error('No file');
  return file;
}

async function probe(file: Buffer) {
  const input = new Input({ source: new BufferSource(new Uint8Array(file)), formats: ALL_FORMATS });
  const video = await input.getPrimaryVideoTrack();
  const audio = await input.getPrimaryAudioTrack();
  return {
    format: (await input.getFormat()).name,
    seconds: await input.computeDuration(),
    video: video && {
      codec: await video.getCodec(),
      width: await video.getDisplayWidth(),
      height: await video.getDisplayHeight(),
      track: video,
    },
    audio: audio && {
      codec: await audio.getCodec(),
      sampleRate: await audio.getSampleRate(),
      channels: await audio.getNumberOfChannels(),
      track: audio,
    },
    tags: await input.getMetadataTags(),
  };
}

const PROMPT = 'Lanterns over the canal, — “slow”, 夜';

describe('a song', () => {
  test('is MP3 of some seconds that carries its title and prompt', async () => {
    const { format, seconds, audio, video, tags } = await probe(
      await fileOf('musicgen/music/generate', { prompt: PROMPT, title: 'Canal' }),
    );
    expect(format).toBe('MP3');
    expect(audio).toMatchObject({ codec: 'mp3', sampleRate: 32_000, channels: 1 });
    expect(video).toBeNull();
    expect(seconds).toBeGreaterThan(4);
    expect(seconds).toBeLessThan(6);
    expect(tags).toMatchObject({ title: 'Canal', lyrics: PROMPT });
  });

  test('is another one for each clip and each task, even of the same prompt', async () => {
    const gateway = await openGateway();
    const urls = [
      ...(await renderedUrls(gateway, 'musicgen/music/generate', { prompt: PROMPT })),
      ...(await renderedUrls(gateway, 'musicgen/music/generate', { prompt: PROMPT })),
    ];
    const files = await Promise.all(urls.map(async (url) => (await download(url)).content.toString('base64')));
    expect(new Set(files).size).toBe(4);
  });

  test('is heard: its samples are neither silent nor clipped', async () => {
    const wav = await fileOf('musicgen/music/wav', { clip_id: 'clip-1' });
    const { format, audio, seconds } = await probe(wav);
    expect(format).toBe('WAVE');
    expect(audio).toMatchObject({ codec: 'pcm-s16', sampleRate: 32_000, channels: 1 });
    expect(seconds).toBeCloseTo(4.32, 3);
    const start = wav.indexOf('data') + 8;
    const samples = new Int16Array(Uint8Array.from(wav.subarray(start)).buffer);
    const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    expect(peak).toBeGreaterThan(20_000);
    expect(peak).toBeLessThan(32_767);
  });

  test('keeps its tune when it is converted: the WAV of a clip is the same whoever asks', async () => {
    const sound = (wav: Buffer) => wav.subarray(wav.indexOf('data'));
    const [first, same, other] = [
      await fileOf('musicgen/music/wav', { clip_id: 'clip-1' }),
      await fileOf('musicgen/music/wav', { clip_id: 'clip-1' }),
      await fileOf('musicgen/music/wav', { clip_id: 'clip-2' }),
    ];
    expect(sound(same)).toEqual(sound(first));
    expect(sound(other)).not.toEqual(sound(first));
  });
});

describe('a video', () => {
  test.each([
    ['videogen-a/video/generate', { prompt: PROMPT }, 320, 176],
    ['videogen-a/video/generate', { prompt: PROMPT, orientation: 'portrait' }, 176, 320],
    ['videogen-a/video/generate', { prompt: PROMPT, size: '1280x720' }, 320, 176],
    ['videogen-b/video/generate', { prompt: PROMPT, aspectRatio: '1:1' }, 240, 240],
  ] as const)('of %s with %j is MP4 of %i × %i with a key picture first', async (path, body, width, height) => {
    const { format, seconds, audio, video, tags } = await probe(await fileOf(path, body));
    expect(format).toBe('MP4');
    expect(video).toMatchObject({ codec: 'avc', width, height });
    expect(audio).toBeNull();
    expect(seconds).toBeCloseTo(3, 3);
    expect(tags.title).toBe(PROMPT);
    const sink = video && new EncodedPacketSink(video.track);
    const kinds: string[] = [];
    for await (const packet of sink?.packets() ?? []) kinds.push(packet.type);
    expect(kinds).toEqual(['key', ...Array.from({ length: 23 }, () => 'delta')]);
  });

  test('of a clip has its sound in it', async () => {
    const { format, video, audio, seconds } = await probe(await fileOf('musicgen/music/mp4', { clip_id: 'clip-1' }));
    expect(format).toBe('MP4');
    expect(video).toMatchObject({ codec: 'avc' });
    expect(audio).toMatchObject({ codec: 'mp3', sampleRate: 32_000 });
    expect(seconds).toBeCloseTo(4.5, 1);
    const frames: Buffer[] = [];
    const sink = audio && new EncodedPacketSink(audio.track);
    for await (const packet of sink?.packets() ?? []) frames.push(Buffer.from(packet.data));
    const song = await fileOf('musicgen/music/concat', { clip_id: 'clip-1' });
    expect(frames.length).toBeGreaterThan(100);
    expect(song.includes(Buffer.concat(frames))).toBe(true);
  });
});

describe('an image', () => {
  test('is another one for each task, even of the same prompt', async () => {
    const gateway = await openGateway();
    const [first = '', second = ''] = [
      ...(await renderedUrls(gateway, 'videogen-b/image/generate', { prompt: PROMPT })),
      ...(await renderedUrls(gateway, 'videogen-b/image/generate', { prompt: PROMPT })),
    ];
    const scene = async (url: string) => PNG.sync.read((await download(url)).content).data.subarray(0, 200_000);
    expect(await scene(first)).not.toEqual(await scene(second));
  });

  test.each([
    [undefined, 512, 512],
    ['16:9', 688, 384],
    ['9:16', 384, 688],
    ['nonsense', 512, 512],
    ['100:1', 880, 288],
  ])('of aspect ratio %j is PNG of %i × %i whose checksums hold', async (aspect_ratio, width, height) => {
    const png = PNG.sync.read(
      await fileOf('videogen-b/image/generate', {
        prompt: PROMPT,
        ...(aspect_ratio === undefined ? {} : { aspect_ratio }),
      }),
      { checkCRC: true },
    );
    expect([png.width, png.height]).toEqual([width, height]);
    const colours = new Set<number>();
    for (let at = 0; at < png.data.length; at += 4) colours.add(png.data.readUInt32BE(at));
    expect(colours.size).toBeGreaterThan(100);
  });

  test('shows its prompt: two prompts differ in the caption, two images of one prompt in the scene', async () => {
    const pixels = (file: Buffer | undefined) => PNG.sync.read(file ?? Buffer.alloc(0)).data;
    const images = await filesOf('videogen-b/image/generate', { prompt: PROMPT, num_images: 2 });
    const [first, second] = images.map(pixels);
    expect(first?.subarray(0, 200_000)).not.toEqual(second?.subarray(0, 200_000));
    expect(images[0]?.includes(Buffer.from(PROMPT))).toBe(true);
    const white = (data: Buffer) => {
      let count = 0;
      for (let at = 0; at < data.length; at += 4) if (data.readUInt32BE(at) === 0xffffffff) count += 1;
      return count;
    };
    const long = pixels(await fileOf('videogen-b/image/generate', { prompt: 'w'.repeat(120) }));
    const short = pixels(await fileOf('videogen-b/image/generate', { prompt: '.' }));
    expect(white(long)).toBeGreaterThan(white(short) + 3000);
  });
});

test('tiny files are of the same kinds', async () => {
  const gateway = await openGateway({ behaviour: { media: { detail: 'tiny' } } });
  const kinds: string[] = [];
  for (const path of [
    'musicgen/music/generate',
    'videogen-a/video/generate',
    'musicgen/music/wav',
    'musicgen/music/mp4',
  ] as const) {
    const [url = ''] = await renderedUrls(gateway, path);
    const { content } = await download(url);
    expect(content.length).toBeLessThan(60_000);
    kinds.push((await probe(content)).format);
  }
  expect(kinds).toEqual(['MP3', 'MP4', 'WAVE', 'MP4']);
  const [url = ''] = await renderedUrls(gateway, 'videogen-b/image/generate');
  expect(PNG.sync.read((await download(url)).content).width).toBe(64);
});
