import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EngineHost } from '../../../src/main/engine-process/engine-host.ts';
import type { HandlerContext } from '../../../src/main/ipc/app-handlers.ts';
import { createRoutes } from '../../../src/main/ipc/route-handlers.ts';
import { placeIdOf } from '../../../src/main/services/remembered-sheets.ts';
import { DEFAULT_PROFILE } from '../../../src/shared/domain/gateway/profile.ts';
import type { BatchView } from '../../../src/shared/ipc/batches.ts';
import { makeBatch } from '../renderer/make-view.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Main's side of the routes, with an engine that takes everything as it is told, or refuses it. */
function setUp({
  isConnected = false,
  refuses = '',
  file = '',
  isShared = false,
  origin = '',
  keysProblem = '',
  accounts = undefined as BatchView['accounts'],
  keptFolders = [] as readonly string[],
} = {}) {
  const defaultFolder = temporaryFolder();
  const folder = join(defaultFolder, 'New sheet');
  mkdirSync(folder);
  const asked: { readonly name: string; readonly input: Readonly<Record<string, unknown>> }[] = [];
  const batch = makeBatch({ id: 'b', name: 'New sheet', state: 'ready', folder, rehearsal: true, accounts });
  const proposed: string[] = [];
  const openedPaths: string[] = [];
  const keysAsked: (readonly string[])[] = [];
  const valueOf = (name: string): unknown =>
    name === 'sheet.get' ? { file } : name === 'results.write' ? { file: `${asked.length}.csv`, notes: [] } : undefined;
  const request = ((name: string, input: Readonly<Record<string, unknown>>) => {
    asked.push({ name, input });
    const isRefused = name === refuses;
    return Promise.resolve(
      isRefused ? { ok: false, error: { code: 'refused', message: '' } } : { ok: true, value: valueOf(name) ?? batch },
    );
  }) as EngineHost['request'];
  let chosen = '';
  const kept: string[] = [];
  const { handlers } = createRoutes({
    engine: { request },
    settings: {
      current: {
        profile: { ...HERE, baseUrl: isShared ? origin : HERE.baseUrl },
        otherProfiles: [THERE],
        defaultFolder,
        chosenFolders: keptFolders,
      },
      update: (change: { readonly chosenFolders: readonly string[] }) => kept.push(...change.chosenFolders),
    },
    gateway: {
      isConnected: () => isConnected,
      problemOfKeys: (of: readonly { readonly profile: { readonly baseUrl: string } }[]) => {
        keysAsked.push(of.map(({ profile }) => profile.baseUrl));
        return keysProblem === '' ? undefined : keysProblem;
      },
    },
    store: { isShared },
    documentsFolder: defaultFolder,
    desktop: {
      reveal: (path: string) => void openedPaths.push(path),
      open: (path: string) => {
        openedPaths.push(path);
        return Promise.resolve({ ok: true, value: undefined });
      },
      chooseFolder: () => Promise.resolve(chosen),
      chooseNewFile: ({ path }: { readonly path: string }) => {
        proposed.push(basename(path));
        return Promise.resolve(path);
      },
    },
  } as unknown as HandlerContext);
  /** Has the user choose a folder; gives the id that the window knows it by. */
  const choose = async (path: string): Promise<string> => {
    chosen = path;
    const folderChosen = await handlers['folder.choose'](undefined);
    return folderChosen.ok ? (folderChosen.value?.folderId ?? '') : '';
  };
  return { handlers, asked, folder, defaultFolder, choose, kept, proposed, openedPaths, keysAsked };
}

const HERE = { ...DEFAULT_PROFILE, name: 'Here', baseUrl: 'https://here.example' };
const THERE = { ...DEFAULT_PROFILE, name: 'There', baseUrl: 'https://there.example' };
const TWO = {
  list: [
    { name: 'main', profile: 'Here', limit: {} },
    { name: 'spare', profile: 'There', keyName: 'second', limit: { requests: 2 } },
  ],
};

test('a folder that was chosen is known after the next start, and one that was not chosen never is', async () => {
  const { choose, kept } = setUp();
  const path = temporaryFolder();
  const folderId = await choose(path);
  expect(folderId).not.toContain('/');
  const { handlers, asked } = setUp({ keptFolders: kept });
  const input = { sheetId: 's', name: 'Lullabies', rehearsal: true, start: false };
  await handlers['batch.create']({ ...input, folderId });
  expect(asked.at(-1)).toMatchObject({ name: 'batch.create', input: { folder: path } });
  expect(await handlers['batch.create']({ ...input, folderId: path })).toMatchObject({ error: { field: 'folder' } });
});

test('a chosen folder that is gone since then is refused and not made again; a relative path is none', async () => {
  const gone = join(temporaryFolder(), 'disk', 'Songs');
  const { handlers, asked, choose } = setUp({ keptFolders: ['Songs', gone] });
  const input = { sheetId: 's', name: 'Lullabies', rehearsal: true, start: false };
  const folderId = placeIdOf(gone);
  const refused = { ok: false, error: { field: 'folder', message: expect.stringContaining(gone) as string } };
  expect(await handlers['batch.create']({ ...input, folderId })).toMatchObject(refused);
  const wish = {
    batchId: 'b',
    isKeptOnly: false,
    hasTags: false,
    hasSidecars: false,
    hasTimeline: false,
    isZip: false,
  };
  expect(await handlers['batch.deliver']({ ...wish, folderId })).toMatchObject(refused);
  const relative = await handlers['batch.create']({ ...input, folderId: placeIdOf('Songs') });
  expect(relative).toMatchObject({ error: { code: 'not-found', field: 'folder' } });
  expect([asked, existsSync(dirname(gone)), existsSync('Songs')]).toEqual([[], false, false]);
  await handlers['batch.deliver']({ ...wish, folderId: await choose(temporaryFolder()) });
  expect(asked.at(-1)?.name).toBe('batch.deliver');
});

describe('a batch that waits is configured', () => {
  test('a new name gives its empty folder the new name, too', async () => {
    const { handlers, asked, defaultFolder } = setUp();
    await handlers['batch.configure']({ batchId: 'b', name: 'Lighthouse' });
    expect(asked.at(-1)?.input).toMatchObject({ name: 'Lighthouse', folder: join(defaultFolder, 'Lighthouse') });
    expect(readdirSync(defaultFolder)).toEqual(['Lighthouse']);
  });

  test('what the engine refuses leaves the folders as they were', async () => {
    const { handlers, defaultFolder } = setUp({ refuses: 'batch.configure' });
    expect(await handlers['batch.configure']({ batchId: 'b', name: 'Lighthouse' })).toMatchObject({ ok: false });
    expect(readdirSync(defaultFolder)).toEqual(['New sheet']);
  });

  test('what the engine refuses leaves a folder that the user chose where it is', async () => {
    const { handlers, defaultFolder, choose } = setUp({ refuses: 'batch.configure' });
    const chosen = join(defaultFolder, 'Lighthouse');
    mkdirSync(chosen);
    const folderId = await choose(chosen);
    expect(await handlers['batch.configure']({ batchId: 'b', name: 'Lighthouse', folderId })).toMatchObject({
      ok: false,
    });
    expect(existsSync(chosen)).toBe(true);
  });

  test('a folder with something in it stays, whatever the name', async () => {
    const { handlers, asked, folder, defaultFolder } = setUp();
    writeFileSync(join(folder, 'mine.txt'), 'x');
    await handlers['batch.configure']({ batchId: 'b', name: 'Lighthouse' });
    expect(asked.at(-1)?.input).not.toHaveProperty('folder');
    expect(readdirSync(defaultFolder)).toEqual(['New sheet']);
  });

  test('a chosen folder takes the place of the unused one; an unknown one is refused', async () => {
    const { handlers, asked, folder, choose } = setUp();
    const chosen = temporaryFolder();
    const folderId = await choose(chosen);
    await handlers['batch.configure']({ batchId: 'b', folderId });
    expect(asked.at(-1)?.input).toMatchObject({ folder: chosen });
    expect(existsSync(folder)).toBe(false);
    expect(await handlers['batch.configure']({ batchId: 'b', folderId: 'g' })).toMatchObject({ ok: false });
  });

  test('what is refused names the field that it is about', async () => {
    const fieldOf = async (
      rig: ReturnType<typeof setUp>,
      input: Omit<Parameters<(typeof rig.handlers)['batch.configure']>[0], 'batchId'>,
    ) => {
      const reply = await rig.handlers['batch.configure']({ batchId: 'b', ...input });
      return reply.ok ? undefined : reply.error.field;
    };
    const alone = setUp();
    expect(await fieldOf(alone, { folderId: 'gone' })).toBe('folder');
    expect(await fieldOf(alone, { rehearsal: false })).toBe('gateway');
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, 'x');
    expect(await fieldOf(alone, { folderId: await alone.choose(join(file, 'below')) })).toBe('folder');
    const unknown = { list: [{ name: 'main', profile: 'Nowhere', limit: {} }] };
    expect(await fieldOf(alone, { rehearsal: false, accounts: unknown })).toBe('accounts');
    const keyless = setUp({ isConnected: true, keysProblem: 'No key.' });
    expect(await fieldOf(keyless, { rehearsal: false, accounts: TWO })).toBe('accounts');
  });

  test('never for a gateway that is not connected', async () => {
    const { handlers, asked } = setUp();
    expect(await handlers['batch.configure']({ batchId: 'b', rehearsal: false })).toMatchObject({ ok: false });
    expect(asked.map(({ name }) => name)).toEqual(['batch.get']);
    const connected = setUp({ isConnected: true });
    await connected.handlers['batch.configure']({ batchId: 'b', rehearsal: false });
    expect(connected.asked.at(-1)?.input).toMatchObject({ rehearsal: false });
  });

  test('for several accounts as an imported sheet is: each of a profile that is kept, with a key', async () => {
    const { handlers, asked } = setUp();
    const wanted = { batchId: 'b', rehearsal: false, accounts: TWO };
    await handlers['batch.configure'](wanted);
    expect(asked.at(-1)?.input).toMatchObject({
      profile: HERE,
      accounts: {
        first: { name: 'main' },
        others: [{ name: 'spare', profile: THERE, keyName: 'second', limit: { requests: 2 } }],
      },
    });
    const keysProblem = 'The account “spare” has no key. Enter it first.';
    const lacking = setUp({ keysProblem, isConnected: true });
    expect(await lacking.handlers['batch.configure'](wanted)).toMatchObject({ error: { message: keysProblem } });
    const gone = { list: TWO.list.map((one) => ({ ...one, profile: 'Gone' })) };
    expect(await handlers['batch.configure']({ ...wanted, accounts: gone })).toMatchObject({ ok: false });
    expect(lacking.asked.map(({ name }) => name)).not.toContain('batch.configure');
  });

  test('with the accounts that it has, if each has its key, whatever the settings’ gateway is; or with none', async () => {
    const accounts = [{ name: 'main', profile: 'Main', gateway: 'https://main.example', limit: {} }];
    const { handlers, asked, keysAsked } = setUp({ accounts });
    expect(await handlers['batch.configure']({ batchId: 'b', rehearsal: false })).toMatchObject({ ok: true });
    expect([keysAsked, asked.at(-1)?.input]).toEqual([
      [['https://main.example']],
      { batchId: 'b', rehearsal: false, profile: HERE },
    ]);
    await handlers['batch.configure']({ batchId: 'b', rehearsal: true, accounts: null });
    expect(asked.at(-1)?.input).toMatchObject({ rehearsal: true, profile: HERE, accounts: null });
    const lacking = setUp({ accounts, keysProblem: 'No key' });
    expect(await lacking.handlers['batch.configure']({ batchId: 'b', rehearsal: false })).toMatchObject({ ok: false });
  });
});

test('on a server a batch needs the address of a gateway and no key; a rehearsal is for the store on this computer', async () => {
  const origin = 'https://gateway.example';
  const { handlers, asked } = setUp({ isShared: true, origin });
  const made = { sheetId: 's', name: 'Songs', rehearsal: false, start: true } as const;
  expect(await handlers['batch.create'](made)).toMatchObject({ ok: true });
  await handlers['sheet.new']({ template: 'music', name: 'Music' });
  expect(asked.map(({ name, input }) => [name, input['rehearsal']])).toEqual([
    ['batch.create', false],
    ['batch.new', false],
  ]);
  const nowhere = setUp({ isShared: true });
  for (const asking of [
    nowhere.handlers['batch.create'](made),
    nowhere.handlers['sheet.new']({ template: 'music', name: 'Music' }),
  ])
    expect(await asking).toMatchObject({ ok: false, error: { code: 'refused' } });
  expect(nowhere.asked).toEqual([]);
});

test('a path that a server names is opened only once the engine has known it for the batch’s folder', async () => {
  const own = setUp({ isShared: true });
  await own.handlers['batch.openFolder']({ batchId: 'b' });
  expect([own.asked.at(-1)?.name, own.openedPaths]).toEqual(['batch.folder', [own.folder]]);
  const refused = setUp({ isShared: true, refuses: 'batch.folder' });
  expect(await refused.handlers['batch.openFolder']({ batchId: 'b' })).toMatchObject({ ok: false });
  expect(refused.openedPaths).toEqual([]);
  const here = setUp({ refuses: 'batch.folder' });
  await here.handlers['batch.openFolder']({ batchId: 'b' });
  expect(here.openedPaths).toEqual([here.folder]);
});

test('a new batch has a folder of its own, which goes again where the batch cannot be made', async () => {
  const made = setUp();
  await made.handlers['sheet.new']({ template: 'music', name: 'Music' });
  expect(made.asked.at(-1)?.input).toMatchObject({ folder: join(made.defaultFolder, 'Music'), rehearsal: true });
  const refused = setUp({ refuses: 'batch.new' });
  await refused.handlers['sheet.new']({ template: 'music', name: 'Music' });
  expect(readdirSync(refused.defaultFolder)).toEqual(['New sheet']);
});

test('a duplicate of a rehearsal is one, also where a gateway is connected', async () => {
  const { handlers, asked } = setUp({ isConnected: true });
  await handlers['batch.duplicate']({ batchId: 'b' });
  expect(asked.at(-1)).toMatchObject({ name: 'batch.new', input: { rehearsal: true, from: { kind: 'batch' } } });
});

test.each([
  ['/home/me/songs.XLSX', 'New sheet.results.xlsx'],
  ['/home/me/songs.csv', 'New sheet.results.csv'],
  ['', 'New sheet.results.csv'],
])('the results of %j are proposed as %s', async (file, name) => {
  const { handlers, asked, proposed } = setUp({ file });
  await handlers['results.write']({ batchId: 'b', into: 'chosen' });
  expect(proposed).toEqual([name]);
  expect(asked.at(-1)?.name).toBe('results.write');
});

test('the results that are shown are those of the notice, not the last ones', async () => {
  const { handlers, openedPaths } = setUp({ file: '/home/me/songs.csv' });
  const into = ['copy', 'original'] as const;
  const written = [];
  for (const one of into) written.push(await handlers['results.write']({ batchId: 'b', into: one }));
  for (const reply of written) {
    const { resultsId = '', file } = (reply.ok ? reply.value : undefined) ?? {};
    expect(await handlers['results.show']({ resultsId })).toMatchObject({ ok: true });
    expect(openedPaths.at(-1)).toBe(file);
  }
  expect(new Set(openedPaths).size).toBe(2);
});

test('a store on a server takes no place for files, in the words of the command line', async () => {
  const { handlers, asked } = setUp({ isShared: true });
  const refused = await handlers['batch.choosePlace']({ batchId: 'b' });
  expect(refused).toMatchObject({
    ok: false,
    error: {
      message: expect.stringContaining(
        'for a store on this computer: the workers of a store on a server do not have its files.',
      ) as string,
    },
  });
  expect(await handlers['sheet.choosePlace']({ sheetId: 's' })).toEqual(refused);
  expect(asked).toEqual([]);
});
