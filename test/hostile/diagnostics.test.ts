import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, test } from 'vitest';
import { storeFacts } from '../../src/engine/store/open/store-facts.ts';
import { logTail, systemFacts } from '../../src/engine/system-facts.ts';
import { openLog } from '../../src/main/shell/log.ts';
import { KeyFinder } from '../../src/shared/domain/base/key-finder.ts';
import { DEFAULT_PROFILE } from '../../src/shared/domain/gateway/profile.ts';
import { diagnosticsText } from '../../src/shared/domain/telling/diagnostics-text.ts';
import { logLineForOthers } from '../../src/shared/domain/telling/diagnostic-words.ts';
import { makeRow, newBatch, settings } from '../contract/task-store-fixtures.ts';
import { openedOnPostgres, openedStore } from '../contract/opened-store.ts';
import { postgresAddress, postgresUrl } from '../support/postgres.ts';
import { runCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KEY = 'sk-canary/7f"3a+9b=c2 ü'.replaceAll(/[^\x21-\x7e]/gu, 'x');
const PROMPT = 'a lighthouse keeper named Edeltraud';

/** A text as others may have written it: as it is, and in every encoding that comes to mind. */
function written(text: string): readonly string[] {
  const bytes = Buffer.from(text, 'utf8');
  const characters = Array.from(text);
  const json = JSON.stringify(text).slice(1, -1);
  return [
    text,
    json,
    json.replaceAll('/', '\\/'),
    characters.map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    encodeURIComponent(text),
    encodeURIComponent(encodeURIComponent(text)),
    [...bytes].map((byte) => `%${byte.toString(16)}`).join(''),
    characters.map((one) => `&#${one.charCodeAt(0)};`).join(''),
    bytes.toString('base64'),
    Buffer.from(`x${text}`).toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    characters.toReversed().join(''),
  ];
}

const FORMS = [KEY, PROMPT].flatMap(written);
/** All of it in one text, which may stand wherever somebody else can write one. */
const EVERYTHING = FORMS.join(' ');

/** Nothing that is longer than a few characters may come through, whichever way it was written. */
function expectNothingOf(text: string): void {
  for (const form of FORMS) expect(text).not.toContain(form.slice(0, 12));
  for (const word of ['Edeltraud', 'lighthouse', 'canary', 'client-x', homedir()]) expect(text).not.toContain(word);
}

function hostileStore(dir: string): void {
  const store = openedStore(dir);
  const profile = {
    ...DEFAULT_PROFILE,
    name: EVERYTHING,
    baseUrl: `https://${PROMPT.replaceAll(' ', '-')}.example/client-x`,
  };
  const row = makeRow(2, {
    id: PROMPT,
    body: { prompt: EVERYTHING },
    cells: { [PROMPT]: EVERYTHING },
    note: EVERYTHING,
  });
  store.store.createBatch(
    newBatch({
      name: EVERYTHING,
      sheetPath: `/home/client-x/${PROMPT}.csv`,
      rows: [row],
      settings: settings({ profile, folder: '/client-x' }),
    }),
  );
  store.close();
  const db = new DatabaseSync(join(dir, 'nocturne.db'));
  db.prepare('UPDATE rows SET status = ?').run(EVERYTHING);
  db.prepare(
    "UPDATE tasks SET operation = ?1, status = 'failed', state = json_object('failure', json_object('code', ?1))",
  ).run(EVERYTHING);
  db.prepare(
    "UPDATE batches SET state = ?1, pause = json_object('by', ?1, 'failure', json_object('code', ?1, 'message', ?1))",
  ).run(EVERYTHING);
  db.close();
}

const HOSTILE_SETTINGS = {
  theme: EVERYTHING,
  defaultFolder: `/client-x/${PROMPT}`,
  profile: {
    ...DEFAULT_PROFILE,
    name: EVERYTHING,
    baseUrl: `https://user:${KEY}@client-x.example/${PROMPT}`,
    userAgent: EVERYTHING,
    status: { musicgen: { '3': 'failed', [EVERYTHING]: EVERYTHING } },
    errors: [{ match: EVERYTHING, means: EVERYTHING }],
    [EVERYTHING]: EVERYTHING,
  },
  otherProfiles: [EVERYTHING],
  telling: { ntfy: { url: EVERYTHING }, command: { argv: [EVERYTHING] } },
  recentSheets: [EVERYTHING],
  mappings: { [EVERYTHING]: EVERYTHING },
  [EVERYTHING]: EVERYTHING,
};

/** A log into which everything got that should not. */
function hostileLog(file: string): void {
  const log = openLog(file);
  for (const form of FORMS) {
    log('error', form);
    log('error', `batch.create: ${form}`);
    log(
      'error',
      `batch.create: Error: ${form}\n    at ${form}\n    at ${homedir()}/client-x/${form}.ts:1:2\n    at file:///x/y.ts:3:4 ${form}`,
    );
    log('warning', `${form}: invalid input rejected`);
    log('info', `after the night: ${form}`);
  }
  writeFileSync(file, `${EVERYTHING}\n`, { flag: 'a' });
}

const OWN = new Set(['main.js', 'batch.create']);

describe('diagnostics', () => {
  test('hold no prompt, no key and no name, whatever others have written and wherever it got', async () => {
    const folder = temporaryFolder();
    const dir = join(folder, 'store');
    mkdirSync(dir);
    hostileStore(dir);
    hostileLog(join(folder, 'logs', 'nocturne.log'));
    writeFileSync(join(folder, 'settings.json'), JSON.stringify(HOSTILE_SETTINGS));
    // Not even where nobody knows the key.
    const unknown = diagnosticsText(
      {
        madeAt: 0,
        program: { version: '1' },
        system: systemFacts(),
        store: storeFacts(dir),
        settings: HOSTILE_SETTINGS,
        log: logTail(join(folder, 'logs', 'nocturne.log')),
        ownNames: OWN,
      },
      { keys: new KeyFinder([]), home: homedir() },
    );
    expectNothingOf(unknown);
    expect(unknown).toContain('schema: ');
    expect(unknown).toContain('1 other');
    expect(unknown).toContain('"3":"failed"');
    const printed = await runCli(['diagnostics', '--data', dir], { NOCTURNE_AI_KEY: KEY });
    expect(printed).toMatchObject({ exitCode: 0, stderr: '' });
    expectNothingOf(printed.stdout);
    const out = join(folder, 'out.txt');
    expect(await runCli(['diagnostics', '--data', dir, '--out', out])).toMatchObject({ exitCode: 0 });
    expectNothingOf(readFileSync(out, 'utf8'));
    expect(await runCli(['diagnostics', '--data', dir, '--out', out])).toMatchObject({ exitCode: 2 });
  });

  test('of a store on a server tell what it is, and neither where nor with which password', async () => {
    const dir = temporaryFolder();
    openedOnPostgres(dir).close();
    const said = async (store: string) =>
      (await runCli(['diagnostics', '--data', dir, '--store', store], { PGPASSWORD: KEY })).stdout;
    const text = await said(postgresUrl(dir));
    expect(text).toMatch(/Server of the store\n {2}PostgreSQL: 1\d/u);
    expect(text).toContain('batches: 0');
    expect(text).not.toContain(KEY);
    expect(text).not.toContain(postgresAddress(dir).schema);
    const refused = await said(
      `postgres://canary-user:${encodeURIComponent(KEY)}@127.0.0.1:9/canary-base?sslmode=disable`,
    );
    expect(refused).toContain('problem: away');
    for (const word of [KEY, encodeURIComponent(KEY), 'canary-user', 'canary-base'])
      expect(refused).not.toContain(word);
  });

  test('hide a key that is known in what is the program’s own, and the user’s folder', () => {
    const text = diagnosticsText(
      {
        madeAt: 0,
        program: { version: `1 ${KEY}`, from: '/home/me/x' },
        system: {},
        store: undefined,
        settings: undefined,
        log: [],
        ownNames: OWN,
      },
      { keys: new KeyFinder([KEY]), home: '/home/me' },
    );
    expect(text).not.toContain(KEY);
    expect(text).toContain('from: ~/x');
  });

  test('tell of a store that is missing, damaged or of another version what can be told', () => {
    const dir = temporaryFolder();
    expect(storeFacts(join(dir, 'none'))).toMatchObject({ problem: 'missing' });
    writeFileSync(join(dir, 'nocturne.db'), 'never a database '.repeat(500));
    expect(storeFacts(dir).bytes).toBe(8500);
  });
});

describe('a line of the log', () => {
  const AT = '2026-11-23T11:00:00.000Z error';

  test('keeps kinds of errors, places in the code, and what the program says in fixed words', () => {
    const stack =
      'batch.create: TypeError: x is no function ⏎     at Object.run (file:///home/me/app/out/main.js:10:20) ⏎     at async node:internal/x:1:2';
    expect(logLineForOthers(`${AT} ${stack}`, OWN)).toBe(
      `${AT} batch.create: TypeError at main.js:10:20 at (a file):1:2`,
    );
    expect(logLineForOthers(`${AT} the engine’s process ended with code 9`, OWN)).toBe(
      `${AT} the engine’s process ended with code 9`,
    );
    expect(logLineForOthers('no line of ours', OWN)).toBe('(a line left out)');
  });

  test('is known, whatever the application logs', () => {
    const main = join(import.meta.dirname, '../../src/main');
    const sources = readdirSync(main, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(main, name), 'utf8'))
      .join('\n');
    const logged = [...sources.matchAll(/\blog\(\s*'(?:info|warning|error)',\s*(['`])(.*?)\1/gsu)].map(
      ([, , text = '']) => text,
    );
    expect(logged.length).toBeGreaterThan(10);
    const samples = logged.map((text) =>
      text
        .replaceAll(/\$\{(?:name|route)\}/gu, 'batch.create')
        .replaceAll(/\$\{(?:seconds|code)\}/gu, '7')
        .replaceAll('${action}', 'quit')
        .replaceAll('${reason}', 'killed')
        .replaceAll(/\$\{(?:cause|error[^}]*\}?[^}]*)\}/gu, 'TypeError')
        .replaceAll(/\$\{[^}]*\}/gu, 'word'),
    );
    const left = samples.filter((text) => logLineForOthers(`${AT} ${text}`, OWN).includes('left out'));
    expect(left).toEqual([]);
  });
});
