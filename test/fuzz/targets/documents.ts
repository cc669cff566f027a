import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTextPreviews } from '../../../src/engine/media-folder/documents/gallery/text-previews.ts';
import { DOCUMENT_NAMES } from '../../../src/engine/media-folder/documents/export-documents.ts';
import { verifyFolder } from '../../../src/engine/media-folder/documents/verify-folder.ts';
import { loadProfile } from '../../../src/engine/gateway/profile-file.ts';
import { errorMeaning } from '../../../src/shared/domain/gateway/error-meaning.ts';
import { OPERATION_PATHS, operationOf } from '../../../src/shared/domain/operations/operations.ts';
import { DEFAULT_PROFILE, parseProfile, resultPathFor } from '../../../src/shared/domain/gateway/profile.ts';
import { statusMeaning } from '../../../src/shared/domain/gateway/status-meaning.ts';
import { mutateText, oddText, textBytes } from '../mutate-text.ts';
import type { FuzzTarget } from '../target.ts';

const PROFILES = [
  JSON.stringify(DEFAULT_PROFILE, undefined, 2),
  '{"name":"My gateway","baseUrl":"https://gateway.example/api","taskCode":{"in":"query","name":"taskId"},"status":{"musicgen":{"0":"queued","1":"running","2":"succeeded","3":"failed"}},"limits":{"requestsPerSecond":2,"activePerFamily":{"musicgen":3}},"rejectedHttp":[400,429],"errors":[{"match":"balance|余额","means":"balance"},{"match":"(?:quota|limit)\\\\s+\\\\d{1,3}","means":"rate"}],"media":{"allowHosts":["10.0.0.1:8080"],"maxBytes":1000000}}',
];

/** Profiles of others: a profile that can be worked with and says the same when it is read again, or what is wrong. */
const PROFILE_TARGET: FuzzTarget = {
  name: 'profile',
  extension: 'json',
  seededCases: 200,
  makeInput: (random) => textBytes(mutateText(random.pick(PROFILES), random), random),
  check(input, scratch) {
    const path = join(scratch, 'profile.json');
    writeFileSync(path, input);
    const profile = loadProfile(path);
    if (!profile.ok) {
      assert.ok(profile.error.length > 0);
      for (const { message, remedy } of profile.error) assert.ok(message !== '' && remedy !== '');
      return;
    }
    assert.deepEqual(parseProfile(JSON.parse(JSON.stringify(profile.value))), profile);
    for (const words of ['insufficient balance', 'a'.repeat(4000), ' '.repeat(4000), '1,'.repeat(2000)]) {
      errorMeaning(profile.value, '500', words);
    }
    for (const operation of OPERATION_PATHS.map(operationOf)) {
      assert.ok(resultPathFor(profile.value, operation).startsWith('/'));
      for (const status of ['0', '3', '__proto__', 'constructor']) statusMeaning(profile.value, operation, status);
    }
  },
};

const RESULTS = [
  '{"title":"A song","lyrics":"[Verse]\\nla la","tags":["calm","night"],"id":"3f1c","url":"https://media.example/a.mp3"}',
  '"[{\\"word\\":\\"la\\",\\"start_s\\":1.5}]"',
  '{"result":"{\\"text\\":\\"{\\\\\\"inner\\\\\\":\\\\\\"words in words\\\\\\"}\\"}"}',
  '[1,2,[3,["four"]]]',
];

/** Results that are documents, as the gallery shows them. */
const PREVIEW_TARGET: FuzzTarget = {
  name: 'preview',
  extension: 'json',
  seededCases: 60,
  makeInput: (random) => textBytes(mutateText(random.pick(RESULTS), random).slice(0, 16_000), random),
  async check(input, scratch) {
    mkdirSync(join(scratch, 'data'), { recursive: true });
    writeFileSync(join(scratch, 'data/a.json'), input);
    const output = { index: 1, path: 'data/a.json', sha256: '', bytes: input.length, mediaType: 'application/json' };
    const row = {
      id: 'a',
      line: 2,
      operation: OPERATION_PATHS[0],
      takes: 1,
      priority: 0,
      skip: false,
      cells: {},
      body: {},
    };
    const exported = { row, status: 'done', tasks: [{ take: 1, status: 'done', outputs: [output] }] };
    const previews = await createTextPreviews((path) => readFile(join(scratch, path), 'utf8')).of(exported as never);
    const text = previews.get('data/a.json');
    assert.ok(
      text === undefined || text.length <= 1 << 20,
      `the words of ${input.length} bytes are ${text?.length} characters`,
    );
  },
};

const MANIFEST = JSON.stringify({
  version: 1,
  batch: 'Night',
  createdAt: '2026-01-01T00:00:00.000Z',
  rows: [
    {
      row: 'a',
      operation: 'musicgen/music/generate',
      status: 'done',
      tasks: [{ take: 1, status: 'done', files: ['music/a.mp3'] }],
    },
  ],
  files: [
    {
      path: 'music/a.mp3',
      row: 'a',
      take: 1,
      index: 1,
      sha256: 'x',
      bytes: 3,
      mediaType: 'audio/mpeg',
      operation: 'musicgen/music/generate',
    },
  ],
});

/** Folders of others: a report, whatever their manifest says. */
const MANIFEST_TARGET: FuzzTarget = {
  name: 'manifest',
  extension: 'json',
  seededCases: 200,
  makeInput: (random) => textBytes(random.below(9) === 0 ? oddText(random) : mutateText(MANIFEST, random), random),
  async check(input, scratch) {
    writeFileSync(join(scratch, DOCUMENT_NAMES.manifest), input);
    const report = await verifyFolder(scratch);
    assert.ok(report.ok === (report.problems.length === 0));
    assert.ok(report.problems.every(({ message }) => message !== ''));
  },
};

/** JSON that others wrote. */
export const DOCUMENT_TARGETS: readonly FuzzTarget[] = [PROFILE_TARGET, PREVIEW_TARGET, MANIFEST_TARGET];
