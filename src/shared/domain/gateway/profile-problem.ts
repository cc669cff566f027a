import type { z } from 'zod';
import { domainWords } from '../../words/domain-words.ts';

/** A problem in a profile. `path` says where (`limits.activePerFamily.musicgen`; empty for the whole document). */
export interface ProfileProblem {
  readonly path: string;
  readonly message: string;
  readonly remedy: string;
}

type Issue = z.core.$ZodIssue;

/** A validation issue in the user's words; each unknown key is a separate problem. */
export function describeProfileIssue(issue: Issue, defaults: unknown): ProfileProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...issue.path, key].join('.'),
      message: domainWords.problems.profile.unknownKey,
      remedy:
        issue.path[0] === 'prices'
          ? domainWords.problems.profile.nameOperation
          : knownKeys(memberAt(defaults, issue.path)),
    }));
  }
  return [
    {
      path: issue.path.join('.'),
      message: domainWords.problems.profile.sentence(messageOf(issue)),
      remedy: remedyOf(issue, defaults),
    },
  ];
}

function messageOf(issue: Issue): string {
  const { must } = domainWords.problems;
  switch (issue.code) {
    case 'invalid_type':
      return must.beOf(issue.expected);
    case 'too_small':
      return must.atLeast(issue.minimum, issue.origin === 'string');
    case 'too_big':
      return must.atMost(issue.maximum, issue.origin === 'string');
    case 'invalid_value':
      return must.oneOf(issue.values.map(String));
    case 'invalid_union':
      return issue.discriminator === undefined ? must.numberOrText : must.oneOf(['body', 'header']);
    case 'invalid_key':
      return issue.issues[0] && issue.issues[0].code === 'custom' ? issue.issues[0].message : must.scope;
    case 'unrecognized_keys':
    case 'invalid_element':
    case 'invalid_format':
    case 'not_multiple_of':
    case 'custom':
      return issue.message;
  }
}

function remedyOf(issue: Issue, defaults: unknown): string {
  const value = memberAt(defaults, issue.path);
  const { writeObject, correct, correctOrDefault } = domainWords.problems.profile;
  if (issue.path.length === 0) return writeObject;
  return value === undefined || typeof value === 'object' ? correct : correctOrDefault(JSON.stringify(value));
}

/** The value at a path of a JSON document; undefined if there is none. */
export function memberAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Readonly<Record<PropertyKey, unknown>>)[key];
  }
  return current;
}

function knownKeys(value: unknown): string {
  const keys = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  return domainWords.problems.profile.removeOr(keys);
}
