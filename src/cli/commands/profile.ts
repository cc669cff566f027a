import type { TaskReader } from '../../engine/index.ts';
import { gatewayKey } from '../../shared/domain/task/batch.ts';
import { statusQuestions, type CountedStatus } from '../../shared/domain/gateway/seen-status.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';
import { print } from '../console.ts';
import type { Console } from '../console.ts';
import { count, statusHint } from '../describe.ts';
import { EXIT, type ExitCode } from '../ending.ts';
import { withStore } from '../open-store.ts';
import { profileOf, readProfile } from '../given.ts';
import type { CommonOptions, ProfileOptions } from '../options.ts';

/** Says whether a profile file can be used. */
export function profileCheckCommand(console: Console, file: string): ExitCode {
  const profile = readProfile(file);
  console.document({ ok: true, name: profile.name, baseUrl: profile.baseUrl });
  console.line(`${file} can be used: ${profile.name}, ${profile.baseUrl === '' ? 'no base URL yet' : profile.baseUrl}`);
  return EXIT.done;
}

/** Prints the profile that `--profile` and `--base-url` give, with every default filled in. */
export function profileShowCommand(options: ProfileOptions): ExitCode {
  print(process.stdout, `${JSON.stringify(profileOf(options), undefined, 2)}\n`);
  return EXIT.done;
}

/**
 * Lists what the gateways' statuses have meant so far, and those that the profile does not name as failures. Only
 * reads: it works beside the process that owns the store.
 */
export async function profileSeenCommand(console: Console, options: CommonOptions): Promise<ExitCode> {
  return withStore(options, async ({ store }) => {
    const seen = await store.seenStatuses();
    const gateways = [...new Set(seen.map(({ gateway }) => gateway))];
    const questions = (await Promise.all(gateways.map(async (gateway) => questionsOf(store, gateway)))).flat();
    console.document({ seen, questions });
    if (seen.length === 0) console.line('No gateway has been asked about a task yet; rehearsals are not counted.');
    for (const gateway of gateways) {
      console.line(visibleLine(gateway, 200));
      for (const one of seen) if (one.gateway === gateway) console.line(`  ${seenLine(one)}`);
    }
    for (const question of questions) console.line(statusHint(question));
    return Promise.resolve(EXIT.done);
  });
}

/** From the profile that was last used with the gateway. */
async function questionsOf(store: TaskReader, gateway: string) {
  const batch = (await store.batches()).findLast(({ id, settings }) => gatewayKey(id, settings) === gateway);
  if (batch === undefined) return [];
  const seen = await store.seenStatuses(batch.id);
  return statusQuestions(seen, batch.settings.profile).map((question) => ({ gateway, ...question }));
}

const BECAME: Readonly<Record<CountedStatus['became'], string>> = {
  running: 'still rendering',
  result: 'gave a result',
  suspected: 'failed, as inferred',
  failed: 'failed, as the profile says',
};

function seenLine({ operation, status, hasUrl, hasEnded, hasMessage, became, tasks }: CountedStatus): string {
  const looks = [hasUrl ? 'an address' : '', hasEnded ? 'an end time' : '', hasMessage ? 'a message' : ''];
  const withWhat = looks.filter((look) => look !== '').join(', ');
  const what = `status ${JSON.stringify(visibleLine(status, 60))} with ${withWhat === '' ? 'nothing else' : withWhat}`;
  return `${operation.padEnd(25)} ${what}: ${BECAME[became]} (${count(tasks, 'task')})`;
}
