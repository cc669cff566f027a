import type { Json, JsonObject } from '../../shared/domain/base/json.ts';
import type { Field, LeafType, Operation } from '../../shared/domain/operations/operations.ts';
import { assertNever, err, ok } from '../../shared/domain/base/result.ts';
import type { Result } from '../../shared/domain/base/result.ts';

const INT32_MAX = 2_147_483_647;

/**
 * Reads the body of a submit according to the interface: JSON text in UTF-8, one object, only fields of the operation,
 * every value of its field's type. Nothing is required. The error is a sentence that names the field.
 */
export function readSubmitBody(operation: Operation, bytes: Buffer): Result<JsonObject, string> {
  let parsed: Json;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Json;
  } catch {
    return err('the body is not JSON in UTF-8');
  }
  if (!isObject(parsed)) return err(`the body must be an object, not ${nameOf(parsed)}`);
  const problem = problemOfObject(parsed, operation.fields, '');
  return problem === undefined ? ok(parsed) : err(problem);
}

function problemOfObject(object: JsonObject, fields: readonly Field[], prefix: string): string | undefined {
  for (const [name, value] of Object.entries(object)) {
    const field = fields.find((candidate) => candidate.name === name);
    if (!field) return `unknown field: ${prefix}${name}`;
    const problem = problemOfField(value, field, `${prefix}${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOfField(value: Json, field: Field, path: string): string | undefined {
  if (field.kind === 'object') {
    return isObject(value)
      ? problemOfObject(value, field.fields, `${path}.`)
      : `field ${path} must be an object, not ${nameOf(value)}`;
  }
  return matches(value, field.type)
    ? undefined
    : `field ${path} must be ${TYPE_NAMES[field.type]}, not ${nameOf(value)}`;
}

const TYPE_NAMES: Readonly<Record<LeafType, string>> = {
  string: 'a string',
  boolean: 'a boolean',
  int32: 'an integer of 32 bits',
  integer: 'an integer',
  number: 'a number',
  'string[]': 'an array of strings',
};

function matches(value: Json, type: LeafType): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'int32':
      return Number.isInteger(value) && Math.abs(Number(value) + 0.5) <= INT32_MAX + 0.5;
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'string[]':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    default:
      return assertNever(type);
  }
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nameOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return `the ${typeof value} ${JSON.stringify(value).slice(0, 60)}`;
}
