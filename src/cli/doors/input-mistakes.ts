/** What is wrong with an input, in words: it may come from a person's own program or from an assistant. */
import type { z } from 'zod';
import { nearestName } from '../../shared/domain/base/nearest-name.ts';
import { countOf, countText, visibleLine } from '../../shared/domain/base/text.ts';

/** One field that is wrong. */
export interface InputMistake {
  /** Where it is, such as `rows.0.prompt`; empty for the input itself. */
  readonly path: string;
  readonly message: string;
  readonly remedy: string;
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** How many mistakes of an input are named. */
const NAMED = 10;
const PATH_SHOWN = 200;
const VALUE_SHOWN = 40;
const SEE_IT = 'See the description of the field.';

/**
 * The mistakes of an input, in the order in which they were found.
 * @param known The fields that it may have, to suggest one for a misspelt one.
 */
export function inputMistakes(issues: readonly Issue[], known: readonly string[]): readonly InputMistake[] {
  const all = issues.flatMap((issue) => mistakesOf(issue, issue.path, known));
  // A number may exceed several bounds: the last one is the command's own.
  return [...new Map(all.map((mistake) => [mistake.path, mistake])).values()].slice(0, NAMED);
}

function mistakesOf(issue: Issue, path: Path, known: readonly string[]): readonly InputMistake[] {
  const at = (message: string, remedy: string, where = path): InputMistake => {
    const shown = visibleLine(where.map(String).join('.'), PATH_SHOWN);
    return { path: shown, message: `${shown === '' ? 'The input' : shown} ${message}`, remedy };
  };
  switch (issue.code) {
    case 'invalid_type':
    case 'invalid_union':
      return ofKind(issue, path, known, at);
    case 'too_small':
    case 'too_big':
      return [at(...sizeWords(issue))];
    case 'invalid_value': {
      const allowed = issue.values.map(String);
      const nearest = typeof issue.input === 'string' ? nearestName(issue.input, allowed) : undefined;
      const remedy = nearest === undefined ? `Give one of: ${allowed.join(', ')}.` : `Did you mean ${nearest}?`;
      return [at(`is ${shown(issue.input)}, which is none of its values.`, remedy)];
    }
    case 'unrecognized_keys':
      return issue.keys.map((key) => {
        const nearest = path.length === 0 ? nearestName(key, known) : undefined;
        const remedy = nearest === undefined ? 'Leave it out.' : `Did you mean ${nearest}?`;
        return at('is no field of this command.', remedy, [...path, key]);
      });
    case 'invalid_key':
      return [at('has a name that is empty or too long.', 'Give it a name of 1 to 200 characters.')];
    // These messages come from our own schemas: what is wrong → what to do.
    case 'invalid_format':
    case 'custom': {
      const [what = '', remedy = SEE_IT] = issue.message.split(' → ');
      return [at(what, remedy)];
    }
    case 'not_multiple_of':
    case 'invalid_element':
      return [at('is not valid.', SEE_IT)];
  }
}

type TypeIssue = Extract<Issue, { readonly code: 'invalid_type' | 'invalid_union' }>;

/** A value of the wrong kind; if several kinds are allowed, the one that was meant counts. */
function ofKind(
  issue: TypeIssue,
  path: Path,
  known: readonly string[],
  at: (message: string, remedy: string) => InputMistake,
): readonly InputMistake[] {
  const branches = issue.code === 'invalid_type' ? [[issue]] : issue.errors;
  const meant = branches.find((branch) => branch.every(({ code }) => code !== 'invalid_type'));
  if (issue.code === 'invalid_union' && meant !== undefined) {
    return meant.flatMap((inner) => mistakesOf(inner, [...path, ...inner.path], known));
  }
  const kinds = branches.flat().flatMap((one) => (one.code === 'invalid_type' ? kindWords(one.expected) : []));
  const wanted = [...new Set(kinds)].join(', or ');
  if (issue.input === undefined) return [at('is missing.', `Give ${wanted}.`)];
  return [at(`is ${kindOf(issue.input)}, and must be ${wanted}.`, `Give ${wanted}.`)];
}

function kindWords(expected: string): string {
  switch (expected) {
    case 'string':
      return 'a text';
    case 'int':
      return 'a whole number';
    case 'array':
      return 'a list';
    case 'object':
    case 'record':
      return 'an object';
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    default:
      return `a ${expected}`;
  }
}

function kindOf(given: unknown): string {
  if (given === null) return 'null';
  if (Array.isArray(given)) return 'a list';
  if (typeof given === 'string') return 'a text';
  return typeof given === 'number' || typeof given === 'boolean' ? String(given) : 'an object';
}

type SizeIssue = Extract<Issue, { readonly code: 'too_small' | 'too_big' }>;

function sizeWords(issue: SizeIssue): readonly [message: string, remedy: string] {
  const { input } = issue;
  const isSmall = issue.code === 'too_small';
  const bound = Number(isSmall ? issue.minimum : issue.maximum);
  const most = isSmall ? 'at least' : 'at most';
  const length = typeof input === 'string' || Array.isArray(input) ? input.length : undefined;
  if (length === undefined) {
    const than = isSmall ? 'more than' : 'less than';
    const limit = issue.inclusive === false ? `${than} ${countText(bound)}` : `${countText(bound)} ${most}`;
    return [`is ${String(input)}, and must be ${limit}.`, `Give a number that is ${limit}.`];
  }
  const things = typeof input === 'string' ? 'character' : 'entry';
  const many = typeof input === 'string' ? 'characters' : 'entries';
  const limit = `${countOf(bound, things, many)} ${most}`;
  return [
    length === 0 ? 'is empty.' : `has ${countOf(length, things, many)}, and may have ${limit}.`,
    `Give ${limit}.`,
  ];
}

function shown(given: unknown): string {
  return typeof given === 'string' ? `“${visibleLine(given, VALUE_SHOWN)}”` : kindOf(given);
}
