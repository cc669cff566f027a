/** Other people's programs, which say what they find in a file: `npm run setup` installs them. */
import { execFileSync } from 'node:child_process';

/** Every tag that exiftool finds, by group and name; equal names in one group come as one. */
export function exiftoolTags(path: string): Readonly<Record<string, unknown>> {
  const text = execFileSync('exiftool', ['-j', '-G1', '-struct', '-charset', 'UTF8', path], { encoding: 'utf8' });
  const [found = {}] = JSON.parse(text) as readonly Record<string, unknown>[];
  return found;
}

/** What ffprobe finds: tags in lower case, and the streams. */
export function ffprobeOf(path: string): {
  readonly tags: Readonly<Record<string, string>>;
  readonly streams: readonly { readonly codec_type: string; readonly disposition: { readonly attached_pic: number } }[];
} {
  const args = ['-v', 'error', '-of', 'json', '-show_format', '-show_streams', path];
  const found = JSON.parse(execFileSync('ffprobe', args, { encoding: 'utf8' })) as {
    readonly format: { readonly tags?: Readonly<Record<string, string>> };
    readonly streams: ReturnType<typeof ffprobeOf>['streams'];
  };
  const tags = Object.entries(found.format.tags ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { tags: Object.fromEntries(tags), streams: found.streams };
}

/** The checksum of everything that ffmpeg decodes from a file. */
export function decodedChecksum(path: string): string {
  const streams = ['-map', '0:a?', '-map', '0:V?'];
  return execFileSync('ffmpeg', ['-v', 'error', '-i', path, ...streams, '-f', 'md5', '-'], { encoding: 'utf8' });
}

/** Debian's own Python has Debian's packages; another one that comes first on the path does not. */
const MUTAGEN = `
import json, mutagen, sys
tags = mutagen.File(sys.argv[1]).tags or {}
def plain(value):
    if isinstance(value, list): return [plain(item) for item in value]
    if isinstance(value, bytes): return len(value)
    return str(value)
print(json.dumps({key: plain(tags[key]) for key in tags.keys()}))
`;

/** Every tag that mutagen finds, by its name in that format. */
export function mutagenTags(path: string): Readonly<Record<string, unknown>> {
  return JSON.parse(execFileSync('/usr/bin/python3', ['-c', MUTAGEN, path], { encoding: 'utf8' })) as Record<
    string,
    unknown
  >;
}
