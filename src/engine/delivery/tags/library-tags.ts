/**
 * Tags as mediabunny writes them: into a file without media, from which the tags are taken. The library does not
 * rewrite the file itself, so every byte of its sound and picture stays as it was.
 */
import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedVideoPacketSource,
  FilePathSource,
  FLAC,
  FlacOutputFormat,
  Input,
  MP3,
  MP4,
  Mp3OutputFormat,
  Mp4OutputFormat,
  Output,
  type InputAudioTrack,
  type InputVideoTrack,
  type MetadataTags,
} from 'mediabunny';
import { present } from '../../../shared/domain/base/result.ts';
import { DIGITAL_SOURCE_TYPE, xmpPacket, type MediaAbout } from '../../../shared/domain/delivery/media-about.ts';
import { memorySource } from '../../media-folder/containers/container-check.ts';
import { id3Length } from './credentials.ts';

/** A picture to show for a song or a film. */
export interface Cover {
  readonly data: Uint8Array;
  readonly mediaType: 'image/png' | 'image/jpeg';
}

/** The formats whose tags the library writes. */
type TaggedFormat = 'mp3' | 'flac' | 'mp4';

/**
 * A small file of the given format, with another file's tags and these, which take precedence. Undefined if the library
 * cannot read the other file.
 */
export async function taggedSample(
  path: string,
  format: 'flac' | 'mp4',
  about: MediaAbout,
  cover: Cover | undefined,
): Promise<Buffer | undefined> {
  return withInput(path, async (input) => {
    const track = (await input.getPrimaryAudioTrack()) ?? (await input.getPrimaryVideoTrack());
    if (track === null) return undefined;
    return sampleOf(track, format, tagsWith(await input.getMetadataTags(), format, about, cover));
  });
}

/** The ID3 tag of an MP3, in which these tags take precedence over its own; without a path, these tags alone. */
export async function id3Tag(
  path: string | undefined,
  about: MediaAbout,
  cover: Cover | undefined,
): Promise<Buffer | undefined> {
  const earlier = path === undefined ? {} : await withInput(path, (input) => input.getMetadataTags());
  if (earlier === undefined) return undefined;
  const target = new BufferTarget();
  const output = new Output({ format: new Mp3OutputFormat(), target });
  output.setMetadataTags(tagsWith(earlier, 'mp3', about, cover));
  // No packet follows: after the tag, there is one empty frame.
  const decoderConfig = { codec: 'mp3', sampleRate: 44_100, numberOfChannels: 2 };
  output.addAudioTrack(new EncodedAudioPacketSource('mp3'), { decoderConfig });
  await output.start();
  await output.finalize();
  const made = Buffer.from(target.buffer ?? new ArrayBuffer(0));
  return made.subarray(0, await id3Length(memorySource(made)));
}

async function withInput<T>(path: string, work: (input: Input) => Promise<T | undefined>): Promise<T | undefined> {
  const input = new Input({ source: new FilePathSource(path), formats: [MP3, MP4, FLAC] });
  try {
    return await work(input);
  } catch (error) {
    // The library throws plain errors for whatever it does not know; the file is whole all the same, and keeps its
    // tags.
    if (error instanceof Error) return undefined;
    throw error;
  } finally {
    input.dispose();
  }
}

/** A file without packets: its format needs to know only what the tracks are. */
async function sampleOf(
  track: InputAudioTrack | InputVideoTrack,
  format: 'flac' | 'mp4',
  tags: MetadataTags,
): Promise<Buffer | undefined> {
  const target = new BufferTarget();
  const output = new Output({
    format: format === 'flac' ? new FlacOutputFormat() : new Mp4OutputFormat({ fastStart: 'in-memory' }),
    target,
  });
  output.setMetadataTags(tags);
  if (track.isAudioTrack()) {
    const [codec, decoderConfig] = [await track.getCodec(), await track.getDecoderConfig()];
    if (codec === null || decoderConfig === null) return undefined;
    output.addAudioTrack(new EncodedAudioPacketSource(codec), { decoderConfig });
  } else {
    const [codec, decoderConfig] = [await track.getCodec(), await track.getDecoderConfig()];
    if (codec === null || decoderConfig === null) return undefined;
    output.addVideoTrack(new EncodedVideoPacketSource(codec), { decoderConfig });
  }
  await output.start();
  await output.finalize();
  return target.buffer === null ? undefined : Buffer.from(target.buffer);
}

/** The file keeps its cover, unless there is a new one. */
function tagsWith(
  earlier: MetadataTags,
  format: TaggedFormat,
  about: MediaAbout,
  cover: Cover | undefined,
): MetadataTags {
  const { title, prompt, lyrics } = about;
  const { lyrics: had, ...others } = earlier;
  return {
    ...others,
    ...(title === undefined ? {} : { title }),
    ...(prompt === undefined ? {} : { comment: prompt }),
    ...(format === 'mp3' ? {} : present({ lyrics: lyrics ?? had })),
    ...(cover === undefined
      ? {}
      : { images: [{ data: cover.data, mimeType: cover.mediaType, kind: 'coverFront' as const }] }),
    raw: ownTags(format, about, earlier.raw ?? {}),
  };
}

type RawTags = NonNullable<MetadataTags['raw']>;

/** Tags without a common name, under each format's own names, besides those that the file had. */
function ownTags(format: TaggedFormat, about: MediaAbout, earlier: RawTags): RawTags {
  const { prompt, model } = about;
  const fields = {
    ...(prompt === undefined ? {} : { PROMPT: prompt }),
    ...(model === undefined ? {} : { MODEL: model }),
    DIGITALSOURCETYPE: DIGITAL_SOURCE_TYPE,
  };
  const kept = (isKept: (key: string, value: RawTags[string]) => boolean): RawTags =>
    Object.fromEntries(Object.entries(earlier).filter(([key, value]) => isKept(key, value)));
  switch (format) {
    case 'mp3':
      return { ...earlier, ...id3Frames(fields, about, earlier['TXXX']) };
    case 'flac': {
      // Names of comments are case-insensitive.
      const ours = new Set([...Object.keys(fields), ...Object.keys(COMMON).filter((name) => isSet(about, name))]);
      return { ...kept((key) => !ours.has(key.toUpperCase())), ...fields };
    }
    case 'mp4':
      // Byte values here are boxes beside the tags, which stay where they are. The rest is in the file's XMP.
      return {
        ...kept((_, value) => !(value instanceof Uint8Array)),
        ...(model === undefined ? {} : { '©too': model }),
      };
  }
}

/** Comments of a FLAC that have a common name. */
const COMMON = { TITLE: 'title', COMMENT: 'prompt', LYRICS: 'lyrics' } as const satisfies Record<
  string,
  keyof MediaAbout
>;

function isSet(about: MediaAbout, name: string): boolean {
  return about[COMMON[name as keyof typeof COMMON]] !== undefined;
}

function id3Frames(
  fields: Readonly<Record<string, string>>,
  about: MediaAbout,
  known: RawTags[string] = null,
): RawTags {
  const { lyrics } = about;
  const texts = known !== null && typeof known === 'object' && isTexts(known) ? { ...known, ...fields } : fields;
  return {
    TXXX: texts,
    PRIV: Buffer.from(`XMP\0${xmpPacket(about)}`, 'utf8'),
    // Built here: the library states the length in characters, which is wrong for all but Latin ones.
    ...(lyrics === undefined ? {} : { USLT: Buffer.from(`\u{3}und\0${lyrics}\0`, 'utf8') }),
  };
}

function isTexts(value: object): value is Record<string, string> {
  return !ArrayBuffer.isView(value) && Object.values(value).every((text) => typeof text === 'string');
}
