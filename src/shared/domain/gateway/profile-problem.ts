import type { z } from 'zod';

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
      message: 'This key is unknown.',
      remedy:
        issue.path[0] === 'prices'
          ? 'Name an operation by its path, such as musicgen/music/generate: each has a price of its own.'
          : knownKeys(memberAt(defaults, issue.path)),
    }));
  }
  return [{ path: issue.path.join('.'), message: sentence(messageOf(issue)), remedy: remedyOf(issue, defaults) }];
}

function messageOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${withArticle(issue.expected)}`;
    case 'too_small':
      return `must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    case 'invalid_value':
      return `must be one of: ${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      return issue.discriminator === undefined ? 'must be a number or text' : 'must be one of: body, header';
    case 'invalid_key':
      return issue.issues[0] && issue.issues[0].code === 'custom'
        ? issue.issues[0].message
        : 'must be a family or an operation, such as musicgen or videogen-b/image/generate';
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
  if (issue.path.length === 0) return 'Write a JSON object; {} is the default profile.';
  if (value === undefined || typeof value === 'object') return 'Correct it, or leave it out.';
  return `Correct it, or leave it out for the default (${JSON.stringify(value)}).`;
}

/** What lies at a path of a JSON document; undefined if nothing does. */
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
  return keys.length === 0
    ? 'Remove it; a scope is a family or an operation, such as videogen-b/image/generate.'
    : `Remove it, or write one of: ${keys.join(', ')}.`;
}

function withArticle(expected: string): string {
  switch (expected) {
    case 'int':
      return 'a whole number';
    case 'object':
    case 'record':
      return 'an object, in { }';
    case 'array':
      return 'a list, in [ ]';
    default:
      return `a ${expected}`;
  }
}

function unitOf(origin: string): string {
  return origin === 'string' ? ' characters long' : '';
}

function sentence(text: string): string {
  const start = text.charAt(0).toUpperCase() + text.slice(1);
  return start.endsWith('.') ? start : `${start}.`;
}
