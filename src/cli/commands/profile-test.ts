import { KeyOrigins, systemClock, testConnection } from '../../engine/index.ts';
import { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';
import { connectionWords } from '../../shared/domain/gateway/learned/connection.ts';
import type { Console } from '../console.ts';
import { EXIT, type ExitCode, wrongUsage } from '../ending.ts';
import { giveKey } from '../gateway-key.ts';
import { profileOf, readKey } from '../given.ts';
import { dataDirOf, lookedAt } from '../with-store.ts';
import type { KeyOptions, ProfileOptions } from '../options/common-options.ts';

const LINE_LENGTH = 400;

/**
 * Says whether the gateway of a profile answers and accepts the key; without a key, only whether it answers. Works
 * beside the process that owns the store, which knows where the key belongs.
 */
export async function profileTestCommand(console: Console, options: ProfileOptions & KeyOptions): Promise<ExitCode> {
  const profile = profileOf(options);
  if (profile.baseUrl === '') {
    throw wrongUsage('There is no base URL to test.', 'Name it in the profile, or with --base-url.');
  }
  const key = readKey(options.keyFile);
  let beforeKeyIsSent = (): void => undefined;
  if (key !== undefined) {
    const origins = new KeyOrigins(dataDirOf(options), (fingerprint) => originsInStore(options, fingerprint));
    const keeper = {
      keyOrigins: () => origins,
      setKey: (_origin: string, _key: string | undefined, beforeSent?: () => void) => {
        beforeKeyIsSent = beforeSent ?? beforeKeyIsSent;
      },
    };
    await giveKey(console, keeper, { profile }, key, options);
  }
  const keyFinder = new KeyFinder(key === undefined ? [] : [key]);
  const report = await testConnection({ profile, key, beforeKeyIsSent, keyFinder, clock: systemClock });
  const { title, advice } = connectionWords(report);
  console.document({ ...report, title, advice });
  console.line(`${title}: ${visibleLine(report.came, LINE_LENGTH)}`);
  console.line(`    asked: GET ${visibleLine(report.asked, LINE_LENGTH)}`);
  if (report.body !== undefined && report.body !== '')
    console.line(`    came: ${visibleLine(report.body, LINE_LENGTH)}`);
  console.line(`    → ${advice}`);
  // A right gateway may answer 404 as well: it does not know the task that is asked about.
  return report.result === 'works' || report.result === 'path-unclear' ? EXIT.done : EXIT.usage;
}

/** Origins that a night has sent the key to; none if there has been no night yet. */
async function originsInStore(options: KeyOptions, fingerprint: string): Promise<readonly string[]> {
  const opened = lookedAt(options);
  if (!opened.ok) {
    if (opened.error.kind === 'missing') return [];
    throw wrongUsage(opened.error.message, opened.error.remedy);
  }
  try {
    return await opened.value.store.originsOfKey(fingerprint);
  } finally {
    opened.value.close();
  }
}
