/** The ways in which a message about a night leaves this machine, as the user sets them. Secrets are kept apart. */
import { z } from 'zod';
import { domainWords } from '../../words/domain-words.ts';
import { plainHttpProblem } from '../gateway/hosts.ts';

/** What is wrong with the address that messages go to; undefined if nothing is. */
export function tellingAddressProblem(url: string, allowPlainHttp: boolean): string | undefined {
  const authority = /^https?:\/\/([^/?#\\\s]+)[^\\\s]*$/iu.exec(url)?.[1];
  if (authority === undefined) return domainWords.problems.must.address;
  if (authority.includes('@')) return domainWords.problems.must.noUser;
  if (plainHttpProblem(url, allowPlainHttp) === undefined) return undefined;
  return allowPlainHttp ? domainWords.problems.must.httpsForPublic : domainWords.problems.must.httpsForMessages;
}

const address = z.strictObject({
  url: z.string().max(2000),
  /** Plain http may go to a private network, not only to this machine. */
  allowPlainHttp: z.boolean().default(false),
});
const checkedAddress = address.superRefine(({ url, allowPlainHttp }, context) => {
  const message = tellingAddressProblem(url, allowPlainHttp);
  if (message !== undefined) context.addIssue({ code: 'custom', path: ['url'], message });
});

/** A program and its arguments, as they are passed: no shell reads them. */
const command = z.strictObject({
  // NUL ends a text in every system's list of arguments.
  argv: z
    .array(
      z
        .string()
        .max(4000)
        .regex(/^[^\0]*$/u, { error: () => domainWords.problems.must.noNul }),
    )
    .min(1)
    .max(50),
});

export const tellingWays = z.strictObject({
  /** Names of batches may be part of a message. */
  names: z.boolean().default(false),
  ntfy: checkedAddress.optional(),
  webhook: checkedAddress.optional(),
  command: command.optional(),
});
export type TellingWays = z.output<typeof tellingWays>;

export const WAY_NAMES = ['ntfy', 'webhook', 'command'] as const;
export type WayName = (typeof WAY_NAMES)[number];

/** What a way needs and no file shows: an access token for ntfy, and the secret that signs what a webhook gets. */
export interface TellingSecrets {
  readonly ntfy?: string | undefined;
  readonly webhook?: string | undefined;
}

/** What is wrong with a secret as it was typed; undefined if nothing is. */
export function tellingSecretProblem(way: 'ntfy' | 'webhook', secret: string): string | undefined {
  if (way === 'ntfy') {
    return /^[\x21-\x7e]{1,500}$/u.test(secret) ? undefined : domainWords.operations.secret.token;
  }
  // 24 to 64 bytes, as the Standard Webhooks specification requires.
  const bytes = /^whsec_(?<base64>(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/u.exec(secret);
  const base64 = bytes?.groups?.['base64'] ?? '';
  const length = (base64.length / 4) * 3 - (base64.length - base64.replaceAll('=', '').length);
  if (length >= 24 && length <= 64) return undefined;
  return domainWords.operations.secret.signing;
}

/** The origin of an address, which its secret belongs to. */
export function originOfAddress(url: string): string | undefined {
  return /^https?:\/\/[^/?#\\\s]+/iu.exec(url)?.[0].toLowerCase();
}
