/** What `nocturne serve` says about itself once it listens: on one screen, for the user who has just started it. */
import { visibleLine } from '../../../shared/domain/base/text.ts';
import { accountsOf } from '../../../shared/domain/task/accounts/account.ts';
import { keysFor } from '../../accounts.ts';
import type { HostOptions } from '../../doors/door-host.ts';
import { serverOf } from '../../with-store.ts';
import { limitText } from '../limits.ts';

const LONGEST = 4096;

/** The lines of the banner. */
export function serveBanner(url: string, tokenFile: string, options: HostOptions): readonly string[] {
  const { cap, out, sheetFolders, gateways } = options;
  const isRehearsal = gateways === 'rehearsal';
  const paying =
    cap === undefined
      ? 'none: batches are made here, and started in the window'
      : `${limitText(cap)}, from noon to noon`;
  const facts: readonly (readonly [name: string, words: string])[] = [
    ['Token', `in ${path(tokenFile)}`],
    ['', 'Each request carries it: “Authorization: Bearer TOKEN”.'],
    ['Gateway', isRehearsal ? 'the built-in one: a rehearsal, nothing is paid' : gatewayWords(options)],
    ['Cap', isRehearsal ? 'none is needed' : paying],
    [
      'Files',
      out === undefined ? 'nowhere, so no batch can be made: --out DIR' : `a folder for each new batch in ${path(out)}`,
    ],
    ['Sheets', sheetFolders.length === 0 ? 'as text or rows alone: --sheets DIR' : sheetFolders.map(path).join(', ')],
    ['Commands', `${url}/openapi.json, with the token; how to use them: docs/other-programs.md, or Help in the window`],
    ['To end', 'Ctrl-C: nothing is lost, and what runs continues at the next start'],
  ];
  return [
    `Nocturne answers programs on this machine at ${url}`,
    ...facts.map(([name, words]) => `  ${name.padEnd(10)}${words}`),
  ];
}

function gatewayWords({ gateways, keyOptions }: HostOptions): string {
  if (gateways === 'rehearsal') return '';
  const keys = keysFor(gateways, keyOptions);
  const isShared = serverOf(keyOptions) !== undefined;
  const named = accountsOf(gateways).map(({ name, profile }) => {
    if (!URL.canParse(profile.baseUrl)) return 'none is named: --profile FILE or --base-url URL';
    const missing = isShared ? 'its key is for workers alone' : 'without a key: NOCTURNE_AI_KEY or --key-file FILE';
    const key = keys.has(name) ? 'with a key' : missing;
    return `${new URL(profile.baseUrl).origin}, ${key}`;
  });
  return named.join('; ');
}

function path(text: string): string {
  return visibleLine(text, LONGEST);
}
