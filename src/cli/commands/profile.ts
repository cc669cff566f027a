import { profileUsedAt } from '../../shared/domain/task/batch.ts';
import { statusQuestions, type CountedStatus, type StatusQuestion } from '../../shared/domain/gateway/seen-status.ts';
import type { Json } from '../../shared/domain/base/json.ts';
import { type Learned, learnedOf } from '../../shared/domain/gateway/learned/learned.ts';
import {
  measureWords,
  type ProfileProposal,
  proposalsFor,
  typicalTimes,
} from '../../shared/domain/gateway/learned/proposals.ts';
import { shapeWords } from '../../shared/domain/gateway/learned/answer-look.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';
import { print } from '../console.ts';
import type { Console } from '../console.ts';
import { count, statusHint } from '../describe.ts';
import { EXIT, type ExitCode } from '../ending.ts';
import { withStore } from '../with-store.ts';
import { profileOf, readProfile } from '../given.ts';
import type { CommonOptions, ProfileOptions } from '../options/common-options.ts';

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
 * Lists what was seen at gateways so far, the statuses that may mean failures, and what a profile could say. Only
 * reads: it works beside the process that owns the store.
 */
export async function profileSeenCommand(console: Console, options: CommonOptions): Promise<ExitCode> {
  return withStore(options, async ({ store }) => {
    const [seen, learned, batches] = await Promise.all([store.seenStatuses(), store.learned(), store.batches()]);
    const { shapes, measures, durations } = learned;
    const gateways = [...new Set([...seen, ...shapes, ...durations].map(({ gateway }) => gateway))];
    const seenOf = gateways.map((gateway): SeenGateway => {
      const profile = profileUsedAt(gateway, batches);
      const statuses = seen.filter((one) => one.gateway === gateway);
      const own = learnedOf(learned, gateway);
      return {
        gateway,
        statuses,
        learned: own,
        questions: profile === undefined ? [] : statusQuestions(statuses, profile),
        proposals: profile === undefined ? [] : proposalsFor(profile, own, statuses),
      };
    });
    console.document({
      seen,
      questions: seenOf.flatMap(({ gateway, questions }) => questions.map((one) => ({ gateway, ...one }))),
      answers: shapes.map(({ shape, ...rest }) => ({ ...shape, ...rest })),
      measures,
      durations: seenOf.flatMap(({ gateway, learned: own }) => typicalTimes(own).map((one) => ({ gateway, ...one }))),
      proposals: seenOf.flatMap(({ gateway, proposals }) => proposals.map((one) => ({ gateway, ...one }))),
    });
    if (gateways.length === 0) console.line('No gateway has been asked about a task yet; rehearsals are not counted.');
    for (const one of seenOf) for (const line of linesOf(one)) console.line(line);
    return Promise.resolve(EXIT.done);
  });
}

interface SeenGateway {
  readonly gateway: string;
  readonly statuses: readonly CountedStatus[];
  readonly learned: Learned;
  readonly questions: readonly StatusQuestion[];
  readonly proposals: readonly ProfileProposal[];
}

function linesOf({ gateway, statuses, learned, questions, proposals }: SeenGateway): readonly string[] {
  const { shapes, measures } = learned;
  return [
    visibleLine(gateway, 200),
    ...statuses.map((one) => `  ${seenLine(one)}`),
    ...typicalTimes(learned).map(
      ({ operation, tasks, median, longest }) =>
        `  ${operation.padEnd(25)} rendered in ${Math.round(median)} s as a rule, ${Math.round(longest)} s at most (${count(tasks, 'task')})`,
    ),
    ...shapes.map(
      ({ shape, answers }) => `  ${shape.operation.padEnd(25)} ${shapeWords(shape)} (${count(answers, 'answer')})`,
    ),
    ...measures.map(
      (one) => `  ${one.operation.padEnd(25)} ${visibleLine(measureWords(one), 200)} (${count(one.count, 'answer')})`,
    ),
    ...questions.map((question) => statusHint(question)),
    ...proposals.flatMap(({ path, value, evidence }) => [
      `A profile could say: ${visibleLine(JSON.stringify(path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value)), 500)}`,
      `    ${visibleLine(evidence, 500)}`,
    ]),
  ];
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
