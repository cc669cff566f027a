/** Which store the window works on: the one in its data folder, or one on a server. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { keptAddress, storeAddress, type StoreAddress } from '../../engine/store/postgres/store-address.ts';
import { writeNoteSync } from '../../engine/whole-file.ts';
import { err, ok, present, type Result } from '../../shared/domain/base/result.ts';
import type { StoreFound, StorePlaceView } from '../../shared/ipc/store.ts';
import type { EngineProcess } from '../engine-process/engine-host.ts';
import { fromEngine, type ServerAccess, type ServerState } from '../engine-process/engine-protocol.ts';
import type { KeyVault } from '../services/key-vault.ts';
import { words } from '../../shared/words/words.ts';

/**
 * Kept beside the settings, and not among them: after a backup is restored, the window uses the store on this computer.
 */
const NOTE = 'store-place.json';
const note = z.strictObject({ server: z.string() });

/** Where the window finds its store, as the user says it. */
export type StoreWanted =
  | { readonly kind: 'folder' }
  | { readonly kind: 'server'; readonly address: string; readonly password?: string };

/** How to reach a server, and how the user sees it: with a line about what does not protect the connection. */
export interface ServerShown extends ServerAccess {
  readonly shown: string;
}

export interface StoreChoiceOptions {
  readonly dataFolder: string;
  /** Keeps the passwords, one for each address. */
  readonly vault: Pick<KeyVault, 'of' | 'set'>;
  /** The address that this start was given; it holds for this run only. */
  readonly given?: string;
}

export class StoreChoice {
  readonly #options: StoreChoiceOptions;
  #address: string | undefined;
  #state: ServerState = {};

  constructor(options: StoreChoiceOptions) {
    this.#options = options;
    this.#address = options.given ?? readNote(options.dataFolder);
  }

  /** Whether other processes may work on the store, too. */
  get isShared(): boolean {
    return this.#address !== undefined;
  }

  /** What the engine's process needs; undefined for the store in the data folder. */
  get server(): ServerAccess | undefined {
    return this.#address === undefined ? undefined : this.#withPassword(this.#address, undefined);
  }

  get view(): StorePlaceView {
    if (this.#address === undefined) return { kind: 'folder' };
    const shown = storeAddress(this.#address, {});
    return {
      kind: 'server',
      address: this.#address,
      shown: shown.ok ? shown.value.shown : this.#address,
      hasPassword: this.#options.vault.of(this.#address) !== undefined,
      ...this.#state,
    };
  }

  /**
   * An address as it was typed, with its password: the one in the address, the one in the field, or the one that is
   * kept for it.
   */
  accessTo(address: string, password: string | undefined): Result<ServerShown, string> {
    const kept = keptAddress(address);
    if (!kept.ok) return err(words.desktop.withRemedy(kept.error));
    const access = this.#withPassword(kept.value.address, password ?? kept.value.password);
    const shown = storeAddress(access.address, {});
    if (!shown.ok) return err(shown.error.message);
    const options = new URL(access.address).searchParams;
    // If `sslmode` is left out, the safe mode applies.
    const mode = options.has('sslmode') || options.has('ssl') ? sslmodeOf(shown.value) : undefined;
    const caution = cautionOf(mode);
    return ok({ ...access, shown: caution === undefined ? shown.value.shown : `${shown.value.shown}\n${caution}` });
  }

  /** Uses this store from now on. Throws if that cannot be noted; everything then stays as it was. */
  choose(wanted: StoreWanted): void {
    const { dataFolder, vault } = this.#options;
    if (wanted.kind === 'server') {
      if (wanted.password !== undefined) vault.set(wanted.address, wanted.password);
      writeNoteSync(join(dataFolder, NOTE), JSON.stringify({ server: wanted.address }));
    } else rmSync(join(dataFolder, NOTE), { force: true });
    this.#address = wanted.kind === 'server' ? wanted.address : undefined;
    this.#state = {};
  }

  /** Takes over what the engine's process has learnt about the server. */
  learn(state: ServerState): void {
    this.#state = state;
  }

  #withPassword(address: string, password: string | undefined): ServerAccess {
    return { address, ...present({ password: password ?? this.#options.vault.of(address) }) };
  }
}

function cautionOf(sslmode: string | undefined): string | undefined {
  if (sslmode === 'disable') return words.desktop.store.notEncrypted;
  return sslmode === 'no-verify' ? words.desktop.store.notProven : undefined;
}

function sslmodeOf({ connection }: StoreAddress): string | undefined {
  return new URL(connection).searchParams.get('sslmode') ?? undefined;
}

/** Undefined if the note cannot be read: the store on this computer is then used. */
function readNote(dataFolder: string): string | undefined {
  try {
    // If it was written by hand, it may hold a password, which must not be shown.
    const kept = keptAddress(note.parse(JSON.parse(readFileSync(join(dataFolder, NOTE), 'utf8'))).server);
    return kept.ok ? kept.value.address : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The address that the application was started with. Refused if it contains a password: every user of the computer can
 * read the arguments of a process.
 */
export function givenStore(text: string): Result<string | undefined, string> {
  if (text === '') return ok(undefined);
  const kept = keptAddress(text);
  if (!kept.ok) return err(words.desktop.withRemedy(kept.error));
  if (kept.value.password === undefined) return ok(kept.value.address);
  return err(words.desktop.store.passwordInAddress);
}

/** Asks a separate process what is at an address: neither the engine nor this process is held up. */
export function askAboutServer(server: ServerAccess, process: EngineProcess): Promise<Result<StoreFound, string>> {
  return new Promise((resolve) => {
    process.onMessage((message) => {
      const told = fromEngine.safeParse(message);
      if (!told.success || told.data.kind !== 'looked') return;
      resolve(ok(told.data.found));
      process.kill();
    });
    process.onExit((code) => resolve(err(words.desktop.store.lookEnded(code))));
    const { address, password } = server;
    process.post({ kind: 'look', server: { address, ...present({ password }) } });
  });
}
