import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRoutes, type RouteHandlersOptions } from '../../../src/main/route-handlers.ts';
import { DEFAULT_PROFILE } from '../../../src/shared/domain/profile.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('a batch that the engine refuses', () => {
  /** Asks for it with the folder that the user chose, if any; gives the name of what is left in `parent`. */
  async function refused(parent: string, chosen?: string): Promise<readonly string[]> {
    const { handlers } = createRoutes({
      engine: { request: () => Promise.resolve({ ok: false, error: { code: 'refused', message: 'no' } }) },
      settings: { current: { profile: DEFAULT_PROFILE, defaultFolder: parent } },
      desktop: { chooseFolder: () => Promise.resolve(chosen) },
      documentsFolder: parent,
      app: { version: '', platform: '', electron: '', folder: '' },
    } as unknown as RouteHandlersOptions);
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
