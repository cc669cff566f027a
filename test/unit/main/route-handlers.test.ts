import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HandlerContext } from '../../../src/main/ipc/app-handlers.ts';
import { createRoutes } from '../../../src/main/ipc/route-handlers.ts';
import { DEFAULT_PROFILE } from '../../../src/shared/domain/gateway/profile.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('a batch that the engine refuses', () => {
  /** Asks for it with the folder that the user chose, if any; gives the name of what is left in `parent`. */
  async function refused(parent: string, chosen?: string): Promise<readonly string[]> {
    const { handlers } = createRoutes({
      engine: { request: () => Promise.resolve({ ok: false, error: { code: 'refused', message: 'no' } }) },
      settings: {
        current: { profile: DEFAULT_PROFILE, defaultFolder: parent, chosenFolders: [] },
        update: () => undefined,
      },
      desktop: { chooseFolder: () => Promise.resolve(chosen) },
      documentsFolder: parent,
      app: { version: '', platform: '', electron: '', folder: '', madeFolder: '' },
    } as unknown as HandlerContext);
    const folder = await handlers['folder.choose'](undefined);
    const folderId = folder.ok && folder.value !== undefined ? { folderId: folder.value.folderId } : {};
    const input = { sheetId: 's', name: 'Lullabies', rehearsal: true, start: true, ...folderId } as const;
    expect(await handlers['batch.create'](input)).toMatchObject({ ok: false });
    return readdirSync(parent);
  }

  test('leaves no folder behind', async () => {
    expect(await refused(temporaryFolder())).toEqual([]);
  });

  test('leaves the folder that the user chose, also where it has the batch’s name', async () => {
    const parent = temporaryFolder();
    mkdirSync(join(parent, 'Lullabies'));
    expect(await refused(parent, join(parent, 'Lullabies'))).toEqual(['Lullabies']);
  });
});

describe('what the build has made for users', () => {
  /** The handlers of a checkout, and what they have opened. */
  function checkout() {
    const folder = temporaryFolder();
    const madeFolder = join(folder, 'out');
    mkdirSync(join(madeFolder, 'site'), { recursive: true });
    const opened: string[] = [];
    const { handlers } = createRoutes({
      desktop: {
        open: (path: string) => {
          opened.push(path);
          return Promise.resolve({ ok: true, value: undefined });
        },
      },
      settings: { current: { profile: DEFAULT_PROFILE } },
      app: { version: '', platform: '', electron: '', isPackaged: false, folder, madeFolder },
    } as unknown as HandlerContext);
    return { folder, madeFolder, opened, handlers };
  }

  test('is the documentation as pages, and what they are made of where there are none', async () => {
    const { folder, madeFolder, opened, handlers } = checkout();
    await handlers['help.open']({ topic: 'operations' });
    writeFileSync(join(madeFolder, 'site', 'index.html'), '');
    await handlers['help.open']({ topic: 'readme' });
    await handlers['help.open']({ topic: 'your-data' });
    expect(opened).toEqual([
      join(folder, 'docs/operations.md'),
      join(madeFolder, 'site', 'index.html'),
      join(folder, 'docs/your-data.md'),
    ]);
  });

  test('is the list of licences, or a word about what to do where it is missing or another', async () => {
    const { madeFolder, handlers } = checkout();
    expect(await handlers['app.licences'](undefined)).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    writeFileSync(join(madeFolder, 'licences.json'), '{"nonsense":1}');
    expect(await handlers['app.licences'](undefined)).toMatchObject({ ok: false });
    const shipped = [{ name: 'zod', version: '4.0.0', licence: 'MIT', text: 'Free.' }];
    writeFileSync(join(madeFolder, 'licences.json'), JSON.stringify(shipped));
    expect(await handlers['app.licences'](undefined)).toEqual({ ok: true, value: shipped });
  });
});

describe('an answer about a status of the gateway', () => {
  const ASKED = { family: 'musicgen', status: '3' } as const;

  /** What the engine and the settings are told of an answer of the window. */
  async function told(statusQuestions: object[] | undefined, applied = true) {
    const requests: string[] = [];
    const noted: unknown[] = [];
    const batch = { gateway: 'https://gateway.example', ...(statusQuestions === undefined ? {} : { statusQuestions }) };
    const { handlers } = createRoutes({
      engine: {
        request: (name: string) => {
          requests.push(name);
          return Promise.resolve({ ok: true, value: name === 'batch.get' ? batch : { tasks: 2 } });
        },
      },
      gateway: {
        answerStatus: (...input: readonly unknown[]) => {
          noted.push(input);
          return Promise.resolve({ ok: true, value: { applied } });
        },
      },
      settings: { current: { profile: DEFAULT_PROFILE } },
    } as unknown as HandlerContext);
    const reply = await handlers['batch.answerStatus']({ batchId: 'b', question: ASKED, answer: 'failed' });
    return { reply, requests, noted };
  }

  test('is noted for the batch’s gateway and reaches the engine', async () => {
    const { reply, requests, noted } = await told([{ ...ASKED, tasks: 2 }]);
    expect(reply).toEqual({ ok: true, value: { tasks: 2 } });
    expect(requests).toEqual(['batch.get', 'batch.answerStatus']);
    expect(noted).toEqual([['https://gateway.example', ASKED, 'failed']]);
  });

  test.each([
    ['nothing is asked', undefined],
    ['another status is asked about', [{ ...ASKED, status: '4', tasks: 1 }]],
    ['another family is asked about', [{ ...ASKED, family: 'videogen-a', tasks: 1 }]],
  ])('is refused where %s: a page makes no failure of what it likes', async (_, questions) => {
    const { reply, requests, noted } = await told(questions);
    expect(reply).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect([requests, noted]).toEqual([['batch.get'], []]);
  });

  test('that the user takes back in the box reaches nobody', async () => {
    const { reply, requests } = await told([{ ...ASKED, tasks: 2 }], false);
    expect(reply).toEqual({ ok: true, value: undefined });
    expect(requests).toEqual(['batch.get']);
  });
});

describe('files that are dragged out of the window', () => {
  const FILES = [
    { id: '1-1', name: 'one.png', bytes: 10 },
    { id: '2-1', name: 'two.png', bytes: 20 },
  ];
  /** The handler over a store of two files, and what the system was asked to drag. */
  function dragging(located: Readonly<Record<string, unknown>>) {
    const dragged: (readonly string[])[] = [];
    const answers: Readonly<Record<string, (input: { fileId: string; fileIds: string[] }) => unknown>> = {
      'files.get': ({ fileIds }) => ({ ok: true, value: { files: FILES.filter(({ id }) => fileIds.includes(id)) } }),
      'file.locate': ({ fileId }) => located[fileId],
    };
    const { handlers } = createRoutes({
      engine: { request: (route: string, input: never) => Promise.resolve(answers[route]?.(input)) },
      desktop: { drag: (paths: readonly string[]) => void dragged.push(paths) },
      settings: { current: { profile: DEFAULT_PROFILE } },
      app: { version: '', platform: '', electron: '', folder: '', madeFolder: '' },
    } as unknown as HandlerContext);
    return { dragged, drag: (...fileIds: string[]) => handlers['files.drag']({ batchId: 'b', fileIds }) };
  }
  const there = (path: string, bytes: number) => ({ ok: true, value: { path, mediaType: 'image/png', bytes } });
  const inBucket = { ok: false, error: { code: 'not-found', message: 'This file is not on this computer.' } };

  test('are those that the store names, all of them together', async () => {
    const { drag, dragged } = dragging({ '1-1': there('/media/one.png', 10), '2-1': there('/media/two.png', 20) });
    expect(await drag('2-1', '1-1')).toEqual({ ok: true, value: undefined });
    expect(dragged).toEqual([['/media/two.png', '/media/one.png']]);
  });

  test.each([
    ['is not on this computer', inBucket, '2-1', 'not on this computer'],
    ['has another size than it was verified with', there('/media/two.png', 21), '2-1', 'two.png has been changed'],
    ['is no file of the batch', there('/etc/passwd', 20), '3-1', 'no longer of its row'],
  ])('are none where one %s', async (_, second, fileId, why) => {
    const { drag, dragged } = dragging({ '1-1': there('/media/one.png', 10), '2-1': second, '3-1': second });
    expect(await drag('1-1', fileId)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining(why) as string },
    });
    expect(dragged).toEqual([]);
  });
});
