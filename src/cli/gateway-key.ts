import type { Engine, KeyOriginFinding } from '../engine/index.ts';
import { KeyFinder } from '../shared/domain/base/key-finder.ts';
import { isUnencrypted } from '../shared/domain/gateway/hosts.ts';
import type { Profile } from '../shared/domain/gateway/profile.ts';
import type { Account } from '../shared/domain/task/accounts/account.ts';
import { visibleLine } from '../shared/domain/base/text.ts';
import { doubtWords, proofAbout } from '../shared/domain/task/key-probe.ts';
import type { Console } from './console.ts';
import { CommandFailure, wrongUsage } from './ending.ts';
import { readKey } from './given.ts';
import type { KeyOptions } from './options/common-options.ts';

/** The key, which a run needs. Throws {@link CommandFailure}. */
export function requireKey({ keyFile }: KeyOptions): string {
  const key = readKey(keyFile);
  if (key !== undefined) return key;
  throw wrongUsage('No key given.', 'Set NOCTURNE_AI_KEY, or name a file that holds the key with --key-file.');
}

/** Where a key is to go. */
interface KeyPlace extends Pick<Account, 'profile' | 'keyName'> {
  /** The account that it is given for, in a batch with several. */
  readonly name?: string | undefined;
  /** Another origin that it goes to from now on, with another account. */
  readonly sentTo?: string | undefined;
  /** Nothing is sent: the engine only knows what to hide. */
  readonly isUnused?: boolean;
}

/**
 * Gives the engine the key of a gateway, and says where it goes. A key belongs to the origin that it was first used
 * with, whatever a profile or a stored batch says. Throws {@link CommandFailure} for another origin.
 */
export async function giveKey(
  console: Console,
  engine: Pick<Engine, 'keyOrigins' | 'setKey'> & Partial<Pick<Engine, 'store'>>,
  { profile, keyName, name, sentTo, isUnused }: KeyPlace,
  key: string,
  options: KeyOptions,
): Promise<void> {
  const finder = new KeyFinder([key]);
  console.hideKeys(finder);
  if (finder.finds(JSON.stringify(profile))) {
    throw wrongUsage(
      'The profile or the base URL contains the key.',
      'Remove it there: the key is sent as a header, and profiles are stored and shared.',
    );
  }
  const origin = originOf(profile.baseUrl);
  const wanted = options.sendKeyTo === undefined ? undefined : originOf(options.sendKeyTo, '--send-key-to');
  if (wanted !== undefined && wanted !== origin) {
    throw wrongUsage(
      `--send-key-to ${wanted}: the gateway here is ${origin}.`,
      'Name the origin of this gateway, or leave the option out.',
    );
  }
  const origins = engine.keyOrigins();
  const found = await origins.find(key, origin);
  // `sentTo` counts although it is only noted once the key is really sent: one key must not be first used with two
  // origins at once.
  const finding: KeyOriginFinding =
    found.kind === 'first' && sentTo !== undefined ? { kind: 'other', origins: [sentTo] } : found;
  if (finding.kind !== 'known' && finding.kind !== 'first' && wanted === undefined) {
    throw refusal(finding, origin, name);
  }
  // An origin that the user typed is noted at once; any other only once the key really goes there, so that a mistyped
  // address does not own the key.
  if (wanted !== undefined) origins.remember(key, origin);
  const whose = name === undefined ? 'The key' : `The key of ${visibleLine(name, 60)}`;
  if (isUnused !== true) console.line(`${whose} goes to ${origin} and nowhere else.`);
  if (isUnencrypted(profile.baseUrl)) {
    console.problem(
      `warning: the connection to ${origin} is not encrypted: anyone on that network can read the key and every prompt.\n` +
        '    → Use https if the gateway supports it.',
    );
  }
  if (engine.store !== undefined) await warnOfKeys(console, engine.store, profile);
  engine.setKey(origin, key, () => origins.remember(key, origin), keyName);
}

/** Whether --send-key-to names the origin of this gateway. */
export function isKeyFor({ baseUrl }: Profile, { sendKeyTo }: KeyOptions): boolean {
  return sendKeyTo !== undefined && originOf(sendKeyTo, '--send-key-to') === originOf(baseUrl);
}

/** What a profile says about request keys is believed, but called unproved until a probe has shown it. */
async function warnOfKeys(console: Console, store: Engine['store'], { idempotency, baseUrl }: Profile): Promise<void> {
  if (idempotency === undefined) return;
  const proof = proofAbout(await store.idempotencyProofs(), baseUrl, idempotency);
  const doubt = doubtWords(proof?.verdict, idempotency);
  if (doubt !== undefined) console.problem(`warning: ${doubt.charAt(0).toLowerCase()}${doubt.slice(1)}`);
}

function refusal(finding: KeyOriginFinding, origin: string, account: string | undefined): CommandFailure {
  const how =
    account === undefined ? '--key-file or NOCTURNE_AI_KEY' : `--account-key "${visibleLine(account, 60)}=FILE"`;
  const remedy =
    `Nothing was sent. Give the key of that gateway with ${how}; ` +
    `if this key belongs there too: --send-key-to ${origin}`;
  const message =
    finding.kind === 'other'
      ? `This key belongs to ${finding.origins.join(' and ')}; this would send it to ${origin}.`
      : `key-origins.json says where this key belongs, but the file is damaged or was changed; this would send the key to ${origin}.`;
  return wrongUsage(message, remedy);
}

/** The origin in the form that is compared: lower case, Punycode, without a default port. */
function originOf(url: string, option?: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol) && parsed.username + parsed.password === '') {
    return parsed.origin;
  }
  throw wrongUsage(
    option === undefined ? `${url} is not a base URL.` : `${option} ${url}: not the origin of a gateway`,
    'Give the gateway’s address, such as https://gateway.example.',
  );
}
