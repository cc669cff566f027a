import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import type { ContenderInput, Figures } from '../contender.ts';
import { DOWNLOADS_AT_ONCE, inParallel } from '../support/in-parallel.ts';
import { numberIn, textIn } from '../support/input.ts';
import { measure } from '../support/measure.ts';

/** fetch, a hash on the way, a file; nothing is synced, checked or renamed. Same input as ours. */
export async function downloadByFetch(input: ContenderInput): Promise<Figures> {
  const folder = textIn(input, 'folder');
  await mkdir(folder, { recursive: true });
  const cost = await measure(() =>
    inParallel(numberIn(input, 'files'), async (i) => {
      const answer = await fetch(`${textIn(input, 'baseUrl')}/${i}-${numberIn(input, 'bytes')}.wav`);
      if (answer.body === null) throw new Error('No body');
      const hash = createHash('sha256');
      const file = await open(path.join(folder, `r${i}.wav`), 'wx');
      for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
        hash.update(chunk);
        await file.write(chunk);
      }
      await file.close();
      hash.digest('hex');
    }),
  );
  return { ...cost };
}

/** curl, tee and openssl, as many at once as ours; processor time is that of the shells' children. Same input. */
export async function downloadByCurl(input: ContenderInput): Promise<Figures> {
  const folder = textIn(input, 'folder');
  await mkdir(folder, { recursive: true });
  const address = `${textIn(input, 'baseUrl')}/$1-${numberIn(input, 'bytes')}.wav`;
  const one = `curl -sf "${address}" | tee "r$1.wav" | openssl dgst -sha256 > "r$1.sha256"`;
  const all = `seq 0 ${numberIn(input, 'files') - 1} | xargs -P ${DOWNLOADS_AT_ONCE} -I {} sh -c '${one}' sh {}`;
  const { wallMs } = await measure(() => shell(all, folder));
  return { wallMs };
}

function shell(command: string, folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', command], { cwd: folder, stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${command}: ${code}`))));
  });
}
