import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identityText, whyNotOwnFolder } from '../../../src/engine/media-folder/folder-identity.ts';
import { FOLDER_IDENTITY_FILE } from '../../../src/shared/domain/files/naming.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const OWN = '0b3e2b1c-6d7a-4a53-9c1e-0123456789ab';
const OTHER = '1b3e2b1c-6d7a-4a53-9c1e-0123456789ab';

test('only a folder with the mark of the batch is one that a store on a server may name', async () => {
  const base = temporaryFolder();
  const [own, plain, link, file] = ['own', 'plain', 'link', 'run.desktop'].map((name) => join(base, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const folder of [own, plain]) mkdirSync(folder);
  writeFileSync(join(own, FOLDER_IDENTITY_FILE), identityText(OWN));
  writeFileSync(file, '[Desktop Entry]');
  symlinkSync(own, link);
  expect(await whyNotOwnFolder({ folder: own, folderIdentity: OWN })).toBeUndefined();
  expect(await whyNotOwnFolder({ folder: own })).toMatchObject({ text: 'folderUnknown' });
  for (const folder of [plain, link, file, 'own', join(base, 'none')])
    expect(await whyNotOwnFolder({ folder, folderIdentity: OWN })).toMatchObject({ text: 'folderElsewhere' });
  expect(await whyNotOwnFolder({ folder: own, folderIdentity: OTHER })).toMatchObject({ text: 'folderElsewhere' });
});
