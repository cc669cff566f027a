/**
 * Saves a store as this version writes it, as the fixture of its schema: `npm run store:fixture`, before a step is
 * added to the schema. One of its nights is over, with a row that was invalid and one that was skipped; the process of
 * the other was killed while it rendered.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { DatabaseSync } from '@photostructure/sqlite';
import { MIGRATIONS } from '../src/engine/store/open/migrations.ts';
import { fixtureName, sqlOf, STORE_FIXTURES } from '../test/support/store-fixture.ts';

const PROGRAM = join(import.meta.dirname, '../src/cli/nocturne.ts');

const WHOLE_NIGHT = `row,operation,prompt,takes,note,skip
intro,lyrics,A song about a lighthouse,1,first,
tune,music,"soft piano, rain",2,second,
picture,image,A lighthouse at night,1,,
wrong,no-such-operation,never sent,1,,
skipped,image,later,1,,yes
`;

const KILLED_NIGHT = `row,operation,prompt
Éins,music,one that renders
zwei,video-a,two that renders
drei,image,three
vier,image,four
`;

const PROFILE = {
  name: 'fixture',
  prices: { 'musicgen/music/generate': { amount: 0.12, currency: 'USD' } },
  cost: { in: 'body', path: 'result.credits', currency: 'USD' },
  idempotency: { header: 'Idempotency-Key', onDuplicate: 'replay', keepHours: 24 },
};

const work = mkdtempSync(join(tmpdir(), 'nocturne-fixture-'));

function start(...args: readonly string[]): ChildProcessWithoutNullStreams {
  const env = { ...process.env, HOME: work, XDG_CONFIG_HOME: work, NOCTURNE_AI_KEY: 'fixture-key-000' };
  return spawn(process.execPath, [PROGRAM, ...args], { env });
}

/** Waits for a line of a command that includes this. */
async function lineWith(part: string, command: ChildProcessWithoutNullStreams): Promise<string> {
  for await (const line of createInterface(command.stdout)) if (line.includes(part)) return line;
  throw new Error(`The command ended before it said ${part}.`);
}

function file(name: string, content: string): string {
  const path = join(work, name);
  writeFileSync(path, content);
  return path;
}

async function makeStore(): Promise<string> {
  const gateway = start('gateway', '--seed', '3', '--behaviour', file('behaviour.json', '{"cost":{"in":"poll"}}'));
  try {
    const { baseUrl } = JSON.parse(await lineWith('baseUrl', gateway)) as { baseUrl: string };
    const profile = file('profile.json', JSON.stringify({ ...PROFILE, baseUrl }));
    const data = join(work, 'data');
    const run = (sheet: string, name: string): ChildProcessWithoutNullStreams =>
      start('run', sheet, '--out', join(work, name), '--profile', profile, '--data', data, '--name', name, '--json');
    const whole = run(file('night.csv', WHOLE_NIGHT), 'night');
    whole.stdout.resume();
    await once(whole, 'exit');
    const killed = run(file('cut.csv', KILLED_NIGHT), 'cut');
    killed.stdout.resume();
    const status = (): Promise<string> => text(start('status', 'cut', '--data', data, '--json').stdout);
    while (!/"rendering": [1-9]/u.test(await status()));
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    return join(data, 'nocturne.db');
  } finally {
    gateway.kill();
  }
}

try {
  const db = new DatabaseSync(await makeStore());
  const sql = sqlOf(db).replaceAll(work, '/media');
  db.close();
  mkdirSync(STORE_FIXTURES, { recursive: true });
  writeFileSync(join(STORE_FIXTURES, fixtureName(MIGRATIONS.length)), gzipSync(sql, { level: 9 }));
} finally {
  rmSync(work, { recursive: true, force: true });
}
