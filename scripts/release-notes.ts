/**
 * Prints what the changelog says about the version in the manifest. Fails if it says nothing, or if the tag that is
 * being released (GITHUB_REF_NAME) belongs to another version: the release would have the wrong name.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseNotes } from './changelog.ts';

const ROOT = join(import.meta.dirname, '..');

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
const tag = process.env['GITHUB_REF_NAME'] ?? `v${version}`;
const notes = releaseNotes(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version);
if (tag !== `v${version}`) console.error(`The tag is ${tag}, and package.json says ${version}.`);
else if (notes === undefined) console.error(`CHANGELOG.md says nothing of ${version}.`);
else console.log(notes);
process.exitCode = tag === `v${version}` && notes !== undefined ? 0 : 1;
