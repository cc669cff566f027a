import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ContenderInput, Figures } from '../contender.ts';
import { DOWNLOADS_AT_ONCE, inParallel } from '../support/in-parallel.ts';
import { numberIn, textIn } from '../support/input.ts';
import { measure } from '../support/measure.ts';

const MIB = 2 ** 20;

/** fetch, a hash on the way, a file, and a sync of the file and its folder; nothing is checked. Same input as ours. */
export async function downloadByFetch(input: ContenderInput): Promise<Figures> {
  const folder = await folderOf(input);
  const cost = await measure(() =>
    inParallel(numberIn(input, 'files'), async (i) => {
      const answer = await fetch(addressOf(input, i));
      if (answer.body === null) throw new Error('No body');
      const hash = createHash('sha256');
      const file = await open(path.join(folder, `r${i}.wav`), 'wx');
      for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
        hash.update(chunk);
        await file.write(chunk);
      }
      await file.sync();
      await file.close();
      const parent = await open(folder);
      await parent.sync();
      await parent.close();
      hash.digest('hex');
    }),
  );
  return { ...cost, mebibytes: mebibytesIn(input) };
}

/** curl, tee, openssl and sync, as many at once as ours. Same input. */
export async function downloadByCurl(input: ContenderInput): Promise<Figures> {
  const folder = await folderOf(input);
  const hashed = `curl -sf "${addressOf(input, '$1')}" | tee "r$1.wav" | openssl dgst -sha256 > "r$1.sha256"`;
  const one = `${hashed} && sync "r$1.wav" .`;
  const all = `seq 0 ${numberIn(input, 'files') - 1} | xargs -P ${DOWNLOADS_AT_ONCE} -I {} sh -c '${one}' sh {}`;
  const { wallMs } = await measure(() => shell(all, folder));
  return { wallMs, mebibytes: mebibytesIn(input) };
}

/** aria2c, given the checksum of each file, and one sync of all files. Same input. */
export async function downloadByAria2(input: ContenderInput): Promise<Figures> {
  const folder = await folderOf(input);
  // All files of one length on the server are the same.
  const body = await (await fetch(addressOf(input, 0))).arrayBuffer();
  const sha256 = createHash('sha256').update(new Uint8Array(body)).digest('hex');
  const list = Array.from(
    { length: numberIn(input, 'files') },
    (_, i) => `${addressOf(input, i)}\n  out=r${i}.wav\n  checksum=sha-256=${sha256}\n`,
  );
  await writeFile(path.join(folder, 'list'), list.join(''));
  const options = `--quiet --check-integrity=true --max-concurrent-downloads=${DOWNLOADS_AT_ONCE}`;
  const { wallMs } = await measure(() => shell(`aria2c ${options} --input-file=list && sync *.wav .`, folder));
  return { wallMs, mebibytes: mebibytesIn(input) };
}

async function folderOf(input: ContenderInput): Promise<string> {
  const folder = textIn(input, 'folder');
  await mkdir(folder, { recursive: true });
  return folder;
}

function addressOf(input: ContenderInput, file: number | string): string {
  return `${textIn(input, 'baseUrl')}/${file}-${numberIn(input, 'bytes')}.wav`;
}

function mebibytesIn(input: ContenderInput): number {
  return (numberIn(input, 'files') * numberIn(input, 'bytes')) / MIB;
}

function shell(command: string, folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', command], { cwd: folder, stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${command}: ${code}`))));
  });
}
