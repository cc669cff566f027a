import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AppSettings } from '../../../src/main/services/app-settings.ts';
import { isUnusedFolder, makeBatchFolder, removeUnusedFolder } from '../../../src/main/services/new-batch-folder.ts';
import type { EngineHost } from '../../../src/main/engine-process/engine-host.ts';
import {
  headerSignature,
  withMapping,
  type KeptMappings,
  pathOf,
  recentViews,
  withoutSheet,
  withSheet,
} from '../../../src/main/services/remembered-sheets.ts';
import { SheetOpening } from '../../../src/main/services/sheet-opening.ts';
import { DEFAULT_PROFILE } from '../../../src/shared/domain/gateway/profile.ts';
import { makeSheet } from '../renderer/make-view.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('the recent sheets', () => {
  test('are the newest ten, each once, and known by ids that are no paths', async () => {
    let recent = withSheet([], '/sheets/again.csv', 1);
    for (let index = 0; index < 11; index += 1) recent = withSheet(recent, `/sheets/${index}.csv`, index + 2);
    recent = withSheet(recent, '/sheets/5.csv', 99);
    expect(recent.map(({ path }) => path)).toEqual([5, 10, 9, 8, 7, 6, 4, 3, 2, 1].map((one) => `/sheets/${one}.csv`));
    const views = await recentViews(recent);
    expect(views[0]).toMatchObject({ name: '5.csv', folder: '/sheets', openedAt: 99, isThere: false });
    expect(views[0]?.recentId).not.toContain('/');
    expect(pathOf(recent, views[1]?.recentId ?? '')).toBe('/sheets/10.csv');
    expect(pathOf(withoutSheet(recent, views[1]?.recentId ?? ''), views[1]?.recentId ?? '')).toBeUndefined();
    expect(pathOf(recent, '/sheets/10.csv')).toBeUndefined();
  });

  test('say whether the file is still there', async () => {
    const path = join(temporaryFolder(), 'here.csv');
    writeFileSync(path, 'x');
    expect(await recentViews([{ path, openedAt: 1 }])).toMatchObject([{ isThere: true }]);
  });
});

describe('a mapping', () => {
  const mapping = { Prompt: 'prompt' };

  test('is kept by its headers, whatever their order; the oldest of too many is forgotten', () => {
    expect(headerSignature(['b ', 'a'])).toBe(headerSignature(['a', 'b']));
    expect(headerSignature(['a', 'b'])).not.toBe(headerSignature(['ab']));
    let kept: KeptMappings = {};
    for (let index = 0; index < 205; index += 1) kept = withMapping(kept, [`h${index}`], { mapping, keptAt: index });
    expect(Object.keys(kept)).toHaveLength(200);
    expect(kept[headerSignature(['h4'])]).toBeUndefined();
    expect(kept[headerSignature(['h5'])]).toEqual({ mapping, keptAt: 5 });
  });

  test('that says nothing is forgotten', () => {
    const kept = withMapping({}, ['a'], { mapping, keptAt: 1 });
    expect(withMapping(kept, ['a'], { mapping: {}, keptAt: 2 })).toEqual({});
    const operation = { mapping: {}, defaultOperation: 'musicgen/music/lyrics', keptAt: 2 } as const;
    expect(Object.values(withMapping(kept, ['a'], operation))).toEqual([operation]);
  });
});

describe('opening', () => {
  function setUp() {
    const asked: { readonly name: string; readonly input: unknown }[] = [];
    const columns = [{ header: 'Prompt', column: 'prompt', also: [], how: 'chosen' as const, suggestions: [] }];
    const answers: Record<string, unknown> = {
      'sheet.open': makeSheet({ columns }),
      'sheet.interpret': makeSheet({ columns }),
      'sheet.openTable': undefined,
    };
    const request = ((name: string, input: unknown) => {
      asked.push({ name, input });
      return Promise.resolve({ ok: true, value: answers[name] });
    }) as EngineHost['request'];
    let current: AppSettings = {
      theme: 'system',
      language: 'system',
      profile: DEFAULT_PROFILE,
      otherProfiles: [],
      defaultFolder: '',
      recentSheets: [],
      chosenFolders: [],
      mappings: {},
      night: { keepAwake: true, system: true, afterNight: 'nothing' },
      telling: { names: false },
      updates: { isAutomatic: true },
    };
    const settings = {
      get current() {
        return current;
      },
      update: (change: Partial<AppSettings>) => {
        current = { ...current, ...change };
      },
    };
    const sheets = new SheetOpening({ engine: { request }, settings, now: () => 7 });
    return { asked, answers, settings, sheets };
  }

  test('remembers the user’s file, and not a sample, nor one that could not be read', async () => {
    const { asked, answers, settings, sheets } = setUp();
    await sheets.openSample('/app/sample.csv', 'Sample');
    expect(asked.at(-1)?.input).toMatchObject({ path: '/app/sample.csv', isSample: true });
    await sheets.open('/home/ada/Night.csv');
    expect(asked.at(-1)?.input).not.toHaveProperty('isSample');
    expect(settings.current.recentSheets).toEqual([{ path: '/home/ada/Night.csv', openedAt: 7 }]);
    answers['sheet.open'] = makeSheet({ format: '' });
    await sheets.open('/home/ada/no-sheet.pdf');
    expect(settings.current.recentSheets).toHaveLength(1);
    // Closed while it was being read.
    answers['sheet.open'] = undefined;
    await sheets.open('/home/ada/Large.csv');
    expect(settings.current.recentSheets[0]).toEqual({ path: '/home/ada/Large.csv', openedAt: 7 });
  });

  test('keeps what the headers were taken for, gives it to the next opening, and forgets it when told', async () => {
    const { asked, settings, sheets } = setUp();
    const plain = { sheetId: 's', mapping: {}, variables: { mood: 'calm' }, choices: 'draw' } as const;
    await sheets.interpret({ ...plain, mapping: { Prompt: 'prompt' } });
    const kept = { [headerSignature(['Prompt'])]: { mapping: { Prompt: 'prompt' }, keptAt: 7 } };
    expect(settings.current.mappings).toEqual(kept);
    await sheets.openTable({ html: '', text: 'a' });
    expect(asked.at(-1)).toMatchObject({ name: 'sheet.openTable', input: { kept, prices: {} } });
    await sheets.interpret(plain);
    expect(settings.current.mappings).toEqual({});
  });

  test('keeps what the columns of a batch are mapped to, beside what else is known of these headers', async () => {
    const { answers, settings, sheets } = setUp();
    const headers = ['Prompt', 'Mine', 'takes'];
    const known = { mapping: {}, defaultOperation: 'musicgen/music/lyrics', keptAt: 1 } as const;
    settings.update({ mappings: withMapping({}, headers, known) });
    const mapped = (header: string, column: string, how: string) => ({
      header,
      column,
      also: [],
      how,
      suggestions: [],
    });
    const columns = [
      mapped(' Prompt', 'title', 'chosen'),
      mapped('Mine', '', 'ignored'),
      mapped('takes', 'takes', 'exact'),
    ];
    answers['sheet.get'] = { columns };
    await sheets.keepMapping('b');
    const mapping = { Prompt: 'title', Mine: '' };
    expect(settings.current.mappings).toEqual({ [headerSignature(headers)]: { ...known, mapping, keptAt: 7 } });
  });
});

describe('the folder of a batch that is renamed', () => {
  test('goes where it was made for the batch and is empty, and stays otherwise', () => {
    const defaultFolder = temporaryFolder();
    const make = (): string => {
      const made = makeBatchFolder({ chosen: undefined, defaultFolder, batchName: 'New sheet' });
      if (!made.ok) throw new Error(made.error);
      return made.value;
    };
    make();
    const second = make();
    expect(second).toMatch(/New sheet 2$/);
    writeFileSync(join(second, '.nocturne-folder.json'), '{}');
    removeUnusedFolder(second, 'New sheet');
    expect(existsSync(second)).toBe(false);
    const filled = make();
    writeFileSync(join(filled, 'song.mp3'), 'x');
    expect(isUnusedFolder(filled, 'New sheet')).toBe(false);
    const own = join(defaultFolder, 'My own');
    mkdirSync(own);
    for (const folder of [filled, own]) removeUnusedFolder(folder, 'New sheet');
    expect([filled, own].map((folder) => existsSync(folder))).toEqual([true, true]);
    expect(isUnusedFolder(join(defaultFolder, 'gone'), 'gone')).toBe(false);
  });
});
