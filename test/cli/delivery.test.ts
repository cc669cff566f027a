import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { unzipSync } from 'fflate';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { manifestSchema, type Manifest } from '../../src/shared/domain/files/manifest.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { exiftoolTags, ffprobeOf, mutagenTags } from '../support/other-programs.ts';
import { runCli, startCli, type CliEnd } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const KEY = 'canary-key-delivery-77';
const home = temporaryFolder();
const media = path.join(home, 'media');
let batch = '';

const SHEET = `row,operation,title,prompt,model,num_images,cover
art,image,,a paper moon,,,
song,music,Paper Moon,"[Verse]
Nacht über 夜",m-5,,{{art.output.1.url}}
film,video-a,,lanterns on a canal,v-2,,
`;

function nocturne(args: readonly string[]): Promise<CliEnd> {
  return runCli([...args, '--data', path.join(home, 'data')], { NOCTURNE_AI_KEY: KEY });
}

async function deliver(out: string, ...options: readonly string[]): Promise<Delivery> {
  const end = await nocturne(['export', batch, '--out', out, ...options, '--json']);
  if (end.exitCode !== 0) throw new Error(end.stderr);
  return JSON.parse(end.stdout) as Delivery;
}

interface Delivery {
  readonly added: readonly string[];
  readonly had: number;
  readonly unkept: number;
  readonly left: number;
  readonly untagged: readonly { readonly path: string }[];
}

function sha256Of(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function manifest(): Manifest {
  return manifestSchema.parse(JSON.parse(readFileSync(path.join(media, 'manifest.json'), 'utf8')));
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted();
}

beforeAll(async () => {
  const gateway = await startObservedGateway({ behaviour: { timeScale: 0.01 } });
  if (!gateway.ok) throw new Error(JSON.stringify(gateway.error));
  try {
    const sheet = path.join(home, 'night.csv');
    writeFileSync(sheet, SHEET);
    const run = ['run', sheet, '--out', media, '--base-url', gateway.value.baseUrl, '--no-canary', '--name', 'Night'];
    const { exitCode, stderr } = await nocturne(run);
    if (exitCode !== 0) throw new Error(stderr);
  } finally {
    await gateway.value.close();
  }
  batch = 'Night';
});

test('files are handed on with tags that other programs read, and the originals stay', async () => {
  const out = path.join(temporaryFolder(), 'out');
  const { added, untagged } = await deliver(
    out,
    '--tags',
    '--template',
    '{operation}/{row}-{take}',
    '--timeline',
    'otio',
  );
  expect(added.length).toBe(manifest().files.length);
  expect(untagged).toEqual([]);
  expect(await nocturne(['verify', media])).toMatchObject({ exitCode: 0 });
  const [song = '', film = '', art = ''] = ['music/', 'video-a/', 'image/'].map(
    (folder) => added.find((file) => file.startsWith(folder)) ?? '',
  );
  expect(mutagenTags(path.join(out, song))).toMatchObject({
    TIT2: 'Paper Moon',
    'USLT::und': '[Verse]\nNacht über 夜',
    'TXXX:MODEL': 'm-5',
    'APIC:': expect.anything() as unknown,
  });
  expect(ffprobeOf(path.join(out, film)).tags).toMatchObject({ comment: 'lanterns on a canal' });
  expect(exiftoolTags(path.join(out, art))).toMatchObject({
    'XMP-dc:Description': 'a paper moon',
    'XMP-iptcExt:DigitalSourceType': 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia',
  });
  const timeline = readFileSync(path.join(out, 'timeline.otio'), 'utf8');
  for (const file of [song, film]) expect(timeline).toContain(`"target_url": "${file}"`);

  // Again, with nothing new.
  const before = filesIn(out).map((file) => [file, sha256Of(path.join(out, file))]);
  expect(await deliver(out, '--tags', '--timeline', 'otio')).toMatchObject({ added: [], had: added.length });
  expect(filesIn(out).map((file) => [file, sha256Of(path.join(out, file))])).toEqual(before);
});

test('what nobody has kept is not handed on with --kept, and that is said', async () => {
  const out = path.join(temporaryFolder(), 'out');
  const end = await nocturne(['export', batch, '--out', out, '--kept']);
  expect(end).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/none of the \d+ files of this batch is kept/u) as string,
  });
  expect(existsSync(out)).toBe(false);
});

test('a name that there is not, in a template, is refused with what there is; Ctrl-C is no loss', async () => {
  const out = path.join(temporaryFolder(), 'out');
  const misspelt = await nocturne(['export', batch, '--out', out, '--template', '{operation}/{titel}']);
  expect(misspelt).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(
      /no name \{titel\}, at character 13\. Did you mean \{title\}\?.*\{cover\}/u,
    ) as string,
  });
  expect(existsSync(out)).toBe(false);
  const args = ['export', batch, '--out', out, '--tags', '--data', path.join(home, 'data'), '--json'];
  const cli = startCli(args, { NOCTURNE_AI_KEY: KEY });
  onTestFinished(() => void cli.process.kill('SIGKILL'));
  while (cli.process.exitCode === null && !existsSync(out)) await new Promise((resolve) => setImmediate(resolve));
  cli.process.kill('SIGINT');
  const { exitCode, stdout } = await cli.ended;
  const { added, left } = JSON.parse(stdout) as Delivery;
  expect(exitCode).toBe(left > 0 ? 130 : 0);
  expect(filesIn(out).filter((file) => file !== 'datapackage.json')).toEqual(added.toSorted());
  expect(await deliver(out, '--tags')).toMatchObject({ had: added.length, left: 0 });
});

test('a ZIP that is cancelled is named nowhere', async () => {
  const folder = temporaryFolder();
  const zip = path.join(folder, 'night.zip');
  const cli = startCli(['export', batch, '--out', zip, '--zip', '--data', path.join(home, 'data')], {
    NOCTURNE_AI_KEY: KEY,
  });
  onTestFinished(() => void cli.process.kill('SIGKILL'));
  while (cli.process.exitCode === null && readdirSync(folder).length === 0)
    await new Promise((resolve) => setImmediate(resolve));
  cli.process.kill('SIGINT');
  const { stdout } = await cli.ended;
  expect(stdout).toMatch(/new file|delivered/u);
  expect(stdout.includes(zip)).toBe(existsSync(zip));
});

test('a ZIP holds the same files', async () => {
  const zip = path.join(temporaryFolder(), 'night.zip');
  await deliver(zip, '--zip', '--xmp');
  const held = unzipSync(readFileSync(zip));
  for (const { path: file, sha256 } of manifest().files) {
    expect(
      createHash('sha256')
        .update(held[file] ?? new Uint8Array())
        .digest('hex'),
    ).toBe(sha256);
    expect(Buffer.from(held[`${file}.xmp`] ?? []).toString()).toContain('trainedAlgorithmicMedia');
  }
});

test('what cannot be is refused with 2, and nothing is written', async () => {
  const out = path.join(temporaryFolder(), 'out');
  for (const [place, ...options] of [
    [out, '--timeline', 'edl'],
    [out, '--template', ' '],
    ['s3://night-films/delivery', '--kept'],
    [media, '--tags'],
    [path.join(media, 'music', 'delivery'), '--tags'],
    [path.join(media, 'night.zip'), '--zip'],
  ] as const) {
    const before = filesIn(media);
    expect(await nocturne(['export', batch, '--out', place, ...options])).toMatchObject({ exitCode: 2 });
    expect(filesIn(media)).toEqual(before);
  }
  expect(existsSync(out)).toBe(false);
  expect(existsSync('s3:')).toBe(false);
});

test('without these options it is the media folder, as ever', async () => {
  const out = path.join(temporaryFolder(), 'copy');
  expect(await nocturne(['export', batch, '--out', out])).toMatchObject({ exitCode: 0 });
  expect(await nocturne(['verify', out])).toMatchObject({ exitCode: 0 });
  expect(existsSync(path.join(out, 'datapackage.json'))).toBe(false);
});

test('in the folder of another batch, it says whose documents it replaces', async () => {
  const out = temporaryFolder();
  writeFileSync(path.join(out, 'manifest.json'), '{"version":1,"batch":"Other night","createdAt":"');
  const first = await nocturne(['export', batch, '--out', out]);
  expect(first).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('holds batch Other night') as string });
  expect(await nocturne(['export', batch, '--out', out])).toMatchObject({ exitCode: 0, stderr: '' });
});

test('an export that is killed leaves whole files or none, and the next one completes it', async () => {
  const whole = path.join(temporaryFolder(), 'whole');
  await deliver(whole, '--tags', '--xmp');
  const wanted = filesIn(whole).filter((file) => file !== 'datapackage.json');
  let killed = 0;
  for (let files = 0; files < wanted.length; files += 1) {
    const out = path.join(temporaryFolder(), 'out');
    const args = ['export', batch, '--out', out, '--tags', '--xmp', '--data', path.join(home, 'data')];
    const cli = startCli(args, { NOCTURNE_AI_KEY: KEY });
    onTestFinished(() => void cli.process.kill('SIGKILL'));
    const seen = (): number =>
      existsSync(out) ? filesIn(out).filter((file) => !file.startsWith('.')).length : Number.NEGATIVE_INFINITY;
    while (cli.process.exitCode === null && seen() < files) await new Promise((resolve) => setImmediate(resolve));
    cli.process.kill('SIGKILL');
    await cli.ended;
    const left = existsSync(out) ? filesIn(out).filter((file) => !file.startsWith('.')) : [];
    if (!left.includes('datapackage.json')) killed += 1;
    for (const file of left.filter((name) => name !== 'datapackage.json')) {
      expect([file, sha256Of(path.join(out, file))]).toEqual([file, sha256Of(path.join(whole, file))]);
    }
    await deliver(out, '--tags', '--xmp');
    expect(filesIn(out)).toEqual(filesIn(whole));
    rmSync(out, { recursive: true });
  }
  expect(killed).toBeGreaterThan(wanted.length / 2);
});

test('a file that was damaged since is named with what helps, and another place does not', async () => {
  const [first] = manifest().files;
  const file = path.join(media, first?.path ?? '');
  const bytes = readFileSync(file);
  writeFileSync(file, 'damaged');
  for (const wish of [[], ['--tags']]) {
    const out = path.join(temporaryFolder(), 'out');
    const refused = await nocturne(['export', batch, '--out', out, ...wish]);
    expect(refused.exitCode).toBe(3);
    expect(refused.stderr).toContain('Put that file back, or render its row again, then repeat the command');
    expect(refused.stderr).not.toContain('--out');
  }
  writeFileSync(file, bytes);
});
