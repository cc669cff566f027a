import { expect, test } from 'vitest';
import { checkProfileText } from '../../../src/renderer/state/profile-draft.ts';
import {
  defaultText,
  fieldText,
  problemAt,
  PROFILE_FIELDS,
  statusesOf,
  withField,
  withStatus,
  type ProfileField,
} from '../../../src/renderer/state/profile-fields.ts';

const FIELDS = PROFILE_FIELDS.flatMap(({ fields }) => fields);

function field(...path: readonly string[]): ProfileField {
  const found = FIELDS.find((one) => one.path.join('.') === path.join('.'));
  if (found === undefined) throw new Error(`There is no field ${path.join('.')}.`);
  return found;
}

test('each field names a value that profiles have, and its default is what a profile without it says', () => {
  for (const one of FIELDS) {
    const text = withField('{}', one, defaultText(one)) ?? '';
    expect([one.label, checkProfileText(text)]).toEqual([one.label, []]);
    expect(fieldText(text, one)).toBe(defaultText(one));
  }
});

test('what is typed is in the text at once, and only what is a number becomes one', () => {
  const requests = field('limits', 'requestsPerSecond');
  const typed = (text: string): unknown => JSON.parse(withField('{"limits":{"downloads":2}}', requests, text) ?? '');
  for (const half of ['0.5', ' 0,5 '])
    expect(typed(half)).toEqual({ limits: { downloads: 2, requestsPerSecond: 0.5 } });
  for (const half of ['0.', '1e', '05', '1,5,', 'NaN', 'Infinity'])
    expect([half, fieldText(JSON.stringify(typed(half)), requests)]).toEqual([half, half]);
  expect(checkProfileText(JSON.stringify(typed('NaN'))).length).toBeGreaterThan(0);
  expect(typed('')).toEqual({ limits: { downloads: 2 } });
});

test('a list has an item in each line, and a mistake in one is told at its field', () => {
  const hosts = field('media', 'allowHosts');
  const text = withField('{}', hosts, '10.0.0.5\nno host at all') ?? '';
  expect(fieldText(text, hosts)).toBe('10.0.0.5\nno host at all');
  expect(problemAt(checkProfileText(text), hosts.path)).toMatch(/must be a host/iu);
  expect(problemAt(checkProfileText(text), ['taskCode', 'name'])).toBeUndefined();
});

test('statuses are added, changed and removed by their names, also by such as objects have', () => {
  const first = withStatus('{"status":{"musicgen":{"0":"queued"},"videogen-a":{}}}', 'musicgen', '2', 'succeeded');
  const second = withStatus(first ?? '', 'musicgen', 'constructor', 'failed') ?? '';
  expect(statusesOf(second, 'musicgen')).toEqual([
    ['0', 'queued'],
    ['2', 'succeeded'],
    ['constructor', 'failed'],
  ]);
  expect(statusesOf(withStatus(second, 'musicgen', '0', undefined) ?? '', 'musicgen')).toHaveLength(2);
  expect(statusesOf('{"status":[1]}', 'musicgen')).toEqual([]);
  expect(JSON.parse(withStatus('{"status":"none"}', 'musicgen', '1', 'running') ?? '')).toEqual({
    status: { musicgen: { 1: 'running' } },
  });
});

test('a text that is no JSON object has no fields to change', () => {
  expect(withField('[', field('userAgent'), 'x')).toBeUndefined();
  expect(withStatus('[]', 'musicgen', '1', 'failed')).toBeUndefined();
  expect(fieldText('nothing', field('userAgent'))).toBe('');
});
