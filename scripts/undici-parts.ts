/**
 * The few parts of undici that the program uses. Its index loads all others, too, down to cookies and web sockets, which
 * make Node load its own copy of undici besides: together, a seventh of what a command needs to start.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const ID = '\0undici-parts';

/** What a build takes for `undici`: a name that is not exported here fails it. */
export function undiciParts(root: string): Plugin {
  return {
    name: 'undici-parts',
    enforce: 'pre',
    resolveId: (id) => (id === 'undici' ? ID : null),
    load: (id) => (id === ID ? partsOf(readFileSync(join(root, 'node_modules/undici/index.js'), 'utf8')) : null),
  };
}

/** The index of undici, cut down. Throws if it is no longer built as it was. */
export function partsOf(index: string): string {
  const [makeDispatcher] = /^function makeDispatcher \(fn\) \{\n[\s\S]*?^\}$/mu.exec(index) ?? [];
  const isKnown =
    index.includes('\nObject.assign(Dispatcher.prototype, api)\n') &&
    index.includes('\nmodule.exports.request = makeDispatcher(api.request)\n');
  if (makeDispatcher === undefined || !isKnown) throw new Error('undici has changed: see scripts/undici-parts.ts.');
  return `
import Agent from 'undici/lib/dispatcher/agent.js';
import api from 'undici/lib/api/index.js';
import buildConnector from 'undici/lib/core/connect.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import errors from 'undici/lib/core/errors.js';
import global from 'undici/lib/global.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import util from 'undici/lib/core/util.js';

const { InvalidArgumentError } = errors;
const { getGlobalDispatcher } = global;
${makeDispatcher}
Object.assign(Dispatcher.prototype, api);
export const request = makeDispatcher(api.request);
export { Agent, buildConnector, Pool };
`;
}
