import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HandlerContext } from '../../../src/main/ipc/app-handlers.ts';
import { storeHandlers } from '../../../src/main/ipc/store-handlers.ts';
import { KeyVault } from '../../../src/main/services/key-vault.ts';
import { givenStore, StoreChoice } from '../../../src/main/shell/store-choice.ts';
import type { Question } from '../../../src/main/shell/desktop.ts';
import { oneQuestionAtATime } from '../../../src/main/shell/profile-question.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ADDRESS = 'postgres://ada@db.example/nights';
const cipher = {
  isSecure: () => true,
  encrypt: (text: string) => Buffer.from(Buffer.from(text).toString('hex')),
  decrypt: (bytes: Buffer) => Buffer.from(bytes.toString(), 'hex').toString(),
};

function choiceIn(dataFolder: string, given?: string): StoreChoice {
  const vault = new KeyVault(join(dataFolder, 'store-secrets.json'), cipher);
  return new StoreChoice({ dataFolder, vault, ...(given === undefined ? {} : { given }) });
}

describe('the choice of a store', () => {
  test('outlives the application, its password sealed and beside it', () => {
    const folder = temporaryFolder();
    const choice = choiceIn(folder);
    expect([choice.isShared, choice.server, choice.view]).toEqual([false, undefined, { kind: 'folder' }]);
    choice.choose({ kind: 'server', address: ADDRESS, password: 'hunter2' });
    const next = choiceIn(folder);
    expect(next.server).toEqual({ address: ADDRESS, password: 'hunter2' });
    expect(next.view).toEqual({ kind: 'server', address: ADDRESS, shown: ADDRESS, hasPassword: true });
    for (const file of ['store-place.json', 'store-secrets.json'])
      expect(readFileSync(join(folder, file), 'utf8')).not.toContain('hunter2');
    next.choose({ kind: 'folder' });
    expect(choiceIn(folder).server).toBeUndefined();
  });

  test('takes a password along to the very address that it was entered for, and to no other', () => {
    const choice = choiceIn(temporaryFolder());
    choice.choose({ kind: 'server', address: ADDRESS, password: 'hunter2' });
    const passwordAt = (address: string, typed?: string) => {
      const access = choice.accessTo(address, typed);
      return access.ok ? access.value.password : access.error;
    };
    expect(passwordAt(ADDRESS)).toBe('hunter2');
    expect(passwordAt(ADDRESS, 'other')).toBe('other');
    expect(passwordAt('postgres://ada:own@db.example/nights')).toBe('own');
    expect(passwordAt(`${ADDRESS}?sslmode=disable`)).toBeUndefined();
    expect(passwordAt('postgres://ada@evil.example/nights')).toBeUndefined();
    expect(passwordAt('https://db.example/')).toContain('no address of a store');
  });

  test('of this start alone is not noted, and a note that cannot be read leads nowhere', () => {
    const folder = temporaryFolder();
    expect(choiceIn(folder, ADDRESS).server).toEqual({ address: ADDRESS });
    expect(choiceIn(folder).isShared).toBe(false);
    writeFileSync(join(folder, 'store-place.json'), '{"server":');
    expect(choiceIn(folder).isShared).toBe(false);
  });

  test('that was noted by hand with a password is not shown with it', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'store-place.json'), '{"server":"postgres://ada:hunter2@db.example/nights"}');
    expect(choiceIn(folder).view).toMatchObject({ kind: 'server', address: ADDRESS });
  });

  test('after --store holds no password: every user of the computer could read it', () => {
    expect(givenStore('')).toEqual({ ok: true, value: undefined });
    expect(givenStore(ADDRESS)).toEqual({ ok: true, value: ADDRESS });
    const refused = givenStore('postgres://ada:hunter2@db.example/nights');
    expect(refused.ok).toBe(false);
    expect(JSON.stringify(refused)).not.toContain('hunter2');
  });
});

describe('a page that asks for another store', () => {
  function setUp({ isNight = false, agrees = true, nightBegins = false } = {}) {
    const store = choiceIn(temporaryFolder());
    const questions: Question[] = [];
    const spawned: string[] = [];
    const copied: string[] = [];
    let moves = 0;
    let night = isNight;
    const handlers = storeHandlers({
      store,
      desktop: {
        writeClipboard: ({ text }: { readonly text: string }) => {
          copied.push(text);
          return Promise.resolve();
        },
        confirm: oneQuestionAtATime((question) => {
          questions.push(question);
          night ||= nightBegins;
          return Promise.resolve(agrees);
        }),
      },
      engine: {
        state: { state: 'ready' },
        moveTo: (change: () => void) => {
          moves += 1;
          change();
          return Promise.resolve([]);
        },
      },
      feed: { emit: () => undefined },
      isNightRunning: () => night,
      onStoreChanged: () => undefined,
      spawnEngine: () => {
        spawned.push('engine');
        return {
          post: () => undefined,
          kill: () => undefined,
          onExit: () => undefined,
          onMessage: (listener: (message: unknown) => void) =>
            listener({ kind: 'looked', found: { shown: ADDRESS, isNew: true, batches: 0, workers: [] } }),
        };
      },
    } as unknown as HandlerContext);
    return { handlers, store, questions, spawned, copied, moves: () => moves };
  }
  const wanted = { kind: 'server', address: ADDRESS, password: 'hunter2' } as const;

  test('gets none, and reaches no server, without the user’s word in a box of the system', async () => {
    const { handlers, store, spawned, questions, moves } = setUp({ agrees: false });
    expect(await handlers['store.use'](wanted)).toEqual({ ok: true, value: undefined });
    expect(await handlers['store.test'](wanted)).toEqual({ ok: true, value: undefined });
    expect([store.isShared, moves(), spawned, questions.length]).toEqual([false, 0, [], 2]);
    expect(JSON.stringify(questions)).not.toContain('hunter2');
  });

  test('has its user told what does not protect the connection', async () => {
    const { handlers, questions } = setUp();
    await handlers['store.test']({ ...wanted, address: `${ADDRESS}?sslmode=disable` });
    await handlers['store.use']({ ...wanted, address: `${ADDRESS}?sslmode=no-verify` });
    await handlers['store.use'](wanted);
    const [disabled, unproved, plain] = questions.map(({ detail }) => detail);
    expect(disabled).toContain('not encrypted');
    expect(unproved).toContain('Nothing proves');
    expect(plain).not.toMatch(/encrypted|proves/u);
  });

  test('is asked about again if a night has begun while the question was on screen', async () => {
    const { handlers, questions, moves } = setUp({ nightBegins: true });
    expect(await handlers['store.use'](wanted)).toMatchObject({ ok: true, value: { kind: 'server' } });
    expect(questions.map(({ detail }) => detail.includes('A night is at work'))).toEqual([false, true]);
    expect(moves()).toBe(1);
  });

  test('asks one thing at a time', async () => {
    const { handlers, questions } = setUp({ agrees: false });
    const both = [handlers['store.use'](wanted), handlers['store.test'](wanted)].map((reply) => Promise.resolve(reply));
    const [first, second] = await Promise.allSettled(both);
    expect(first).toMatchObject({ status: 'fulfilled', value: { ok: true } });
    expect(second).toMatchObject({ status: 'rejected', reason: { message: 'Answer the open question first.' } });
    expect(questions).toHaveLength(1);
    await handlers['store.test'](wanted);
    expect(questions).toHaveLength(2);
  });

  test('copies a command that a shell reads as one address', async () => {
    const { handlers, copied } = setUp();
    await handlers['store.use']({ ...wanted, address: "postgres://o'hara@db.example/nights" });
    await handlers['store.copyWorker'](undefined);
    expect(copied).toEqual(["nocturne worker --store 'postgres://o%27hara@db.example/nights' --key-file FILE"]);
  });

  test('that is agreed to is asked about once, with the night that ends by it', async () => {
    const { handlers, store, spawned, questions, moves } = setUp({ isNight: true });
    await handlers['store.test'](wanted);
    await handlers['store.test'](wanted);
    expect([questions.length, spawned.length]).toEqual([1, 2]);
    expect(await handlers['store.use'](wanted)).toMatchObject({ ok: true, value: { kind: 'server' } });
    expect(questions[1]?.detail).toContain('A night is at work on this computer.');
    expect([store.server?.password, moves()]).toEqual(['hunter2', 1]);
    await handlers['store.use']({ kind: 'server', address: ADDRESS, password: 'right' });
    expect([questions.length, moves(), store.server?.password]).toEqual([2, 2, 'right']);
  });
});
