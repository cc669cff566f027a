/** Prints what a helper needs to know, in a text that the user reads first. */
import { readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { logTail, serverFacts, storeFacts, systemFacts } from '../../../engine/index.ts';
import { KeyFinder } from '../../../shared/domain/base/key-finder.ts';
import { routes } from '../../../shared/ipc/contract.ts';
import { diagnosticsText } from '../../../shared/domain/telling/diagnostics-text.ts';
import { KEY_OF_ENVIRONMENT, type Console } from '../../console.ts';
import { EXIT, type ExitCode, wrongUsage } from '../../ending.ts';
import { dataDirOf, serverOf } from '../../with-store.ts';
import type { CommonOptions } from '../../options/common-options.ts';

export interface DiagnosticsOptions extends CommonOptions {
  readonly out?: string;
}

/** Only reads: it works beside the store’s owner, and tells what it can about a store that cannot be used. */
export function diagnosticsCommand(console: Console, version: string, options: DiagnosticsOptions): ExitCode {
  const dataDir = dataDirOf(options);
  // The application’s own folder holds its settings and its log beside the store.
  const application = path.basename(dataDir) === 'store' ? path.dirname(dataDir) : undefined;
  const server = serverOf(options);
  const text = diagnosticsText(
    {
      madeAt: Date.now(),
      program: { version, from: 'the command line' },
      system: systemFacts(),
      store: storeFacts(dataDir),
      ...(server === undefined ? {} : { server: serverFacts(server) }),
      settings: application === undefined ? undefined : documentIn(path.join(application, 'settings.json')),
      log: application === undefined ? [] : logTail(path.join(application, 'logs', 'nocturne.log')),
      ownNames: new Set(Object.keys(routes)),
    },
    { keys: new KeyFinder([KEY_OF_ENVIRONMENT]), home: homedir() },
  );
  if (options.out === undefined) {
    console.document({ text });
    for (const line of text.trimEnd().split('\n')) console.line(line);
    return EXIT.done;
  }
  const file = path.resolve(options.out);
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw wrongUsage(
      `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
      'Name a new file in a writable folder; existing files are not replaced.',
    );
  }
  console.document({ file });
  console.line(`Written to ${file}. Read it before you send it.`);
  return EXIT.done;
}

function documentIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
