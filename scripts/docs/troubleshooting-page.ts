import { assertNever } from '../../src/shared/domain/base/result.ts';
import {
  FAILURE_CODES,
  FAILURE_POLICIES,
  whatFollows,
  whileRetriedOf,
  type FailureCode,
} from '../../src/shared/domain/base/failure.ts';
import { table } from './markdown.ts';

/** What can go wrong, by the code that the window, the command line and the manifest give, as Markdown. */
export function troubleshootingPage(): string {
  return `${[
    '# Troubleshooting',
    'This page is generated from `src/shared/domain/base/failure.ts` by `npm run docs`; edit the table of failures, not the page.',
    'Whatever goes wrong has a code: beside the row in the window, in the ledger, in `failure` of the results and the manifest, ' +
      'and on the command line. The gateway’s own words stand beside it.',
    table(
      ['code', 'what it means', 'what follows'],
      FAILURE_CODES.map((code) => [
        `[\`${code}\`](#${code.toLowerCase()})`,
        FAILURE_POLICIES[code].title,
        whatFollows(code),
      ]),
    ),
    ...FAILURE_CODES.flatMap(section),
  ].join('\n\n')}\n`;
}

function section(code: FailureCode): readonly string[] {
  const { title, remedy } = FAILURE_POLICIES[code];
  const whileRetried = whileRetriedOf(code);
  const meanwhile =
    whileRetried === undefined || whileRetried === remedy ? [] : [`While it is retried: ${whileRetried}`];
  return [`## ${code}`, `**${title}.** ${whatFollows(code)} ${scopeOf(code)}`.trim(), remedy, ...meanwhile];
}

/** What the failure affects, and what it costs if the user tries again. */
function scopeOf(code: FailureCode): string {
  const policy = FAILURE_POLICIES[code];
  if ('userRetry' in policy) {
    if (policy.next === 'retry') return '';
    return policy.userRetry === 'free' ? 'Your own retry costs nothing.' : 'Your own retry may be a new paid request.';
  }
  const { pauses, meanwhile } = policy;
  const goesOn = {
    all: 'What is paid for goes on.',
    downloads: 'Downloads go on.',
    nothing: 'Nothing goes on meanwhile.',
  }[meanwhile];
  switch (pauses) {
    case 'batch':
      return `It concerns this batch. ${goesOn}`;
    case 'folder':
      return `It concerns every batch with the same folder. ${goesOn}`;
    case 'gateway':
      return `It concerns every batch with the same gateway and key. ${goesOn}`;
    default:
      return assertNever(pauses);
  }
}
