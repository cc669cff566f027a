/** What `nocturne serve` and `nocturne mcp` have in common: what the user allows, and what runs behind the door. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { localFolderOf } from '../../given.ts';
import { present } from '../../../shared/domain/base/result.ts';
import type { Limit } from '../../../shared/domain/task/spending.ts';
import { gatewaysOf, pricesOf, type Gateways } from '../../accounts.ts';
import { wrongUsage } from '../../ending.ts';
import { serverOf } from '../../with-store.ts';
import { wholeNumber, type AccountOptions, type KeyOptions } from '../../options/common-options.ts';
import type { HostOptions } from '../../doors/door-host.ts';
import { givenAmount } from '../../options/spending-options.ts';
import { makeFolderSync } from '../../../engine/make-folder.ts';
import { readTelling } from '../notify.ts';

export interface DoorOptions extends AccountOptions, KeyOptions {
  readonly rehearse?: true;
  readonly maxRequests?: string;
  readonly maxCost?: string;
  readonly out?: string;
  readonly sheets?: readonly string[];
  readonly notify?: string;
}

/** Reads the options. Throws {@link CommandFailure}. */
export function hostOptionsOf(options: DoorOptions): HostOptions {
  const { rehearse, out, sheets = [], notify } = options;
  const gateways = rehearse === true ? 'rehearsal' : gatewaysOf(options);
  const named = [options.profile, options.baseUrl, options.account].some((one) => one !== undefined);
  if (rehearse === true && named) {
    throw wrongUsage('--rehearse is for the built-in gateway alone.', 'Leave out --profile, --base-url and --account.');
  }
  if (rehearse === true && serverOf(options) !== undefined) {
    throw wrongUsage(
      'A rehearsal needs a store in a folder: its gateway is in this process, and workers render what is on a server.',
      'Leave out --store, or name a folder with --data DIR.',
    );
  }
  const cap = capOf(options, gateways);
  return {
    keyOptions: options,
    gateways,
    cap,
    out: out === undefined ? undefined : folderFor(localFolderOf('--out', out)),
    sheetFolders: sheets.map((folder) => folderThere(path.resolve(folder))),
    ...present({ telling: notify === undefined ? undefined : readTelling(notify) }),
  };
}

function capOf({ maxRequests, maxCost }: DoorOptions, gateways: Gateways | 'rehearsal'): Limit | undefined {
  const prices = gateways === 'rehearsal' ? {} : pricesOf(gateways);
  const cost = givenAmount('--max-cost', maxCost, prices);
  if (cost === null)
    throw wrongUsage('--max-cost off: a door has a cap, or pays for nothing.', 'Give an amount, or leave it out.');
  const cap: Limit = present({ requests: wholeNumber('--max-requests', maxRequests, 1, 1_000_000), cost });
  return Object.keys(cap).length === 0 ? undefined : cap;
}

function folderFor(folder: string): string {
  try {
    makeFolderSync(folder);
    return folder;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw wrongUsage(`--out ${folder} cannot be used: ${why}`, 'Name a writable folder.');
  }
}

function folderThere(folder: string): string {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw wrongUsage(`--sheets ${folder}: there is no such folder.`, 'Name a folder with sheets.');
}
