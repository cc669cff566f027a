import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { KEY_MARK, KeyFinder, keyProblem } from '../../../../src/shared/domain/base/key-finder.ts';

/** Every character that a key can have. */
const PRINTABLE = Array.from({ length: 0x7e - 0x20 }, (_, i) => String.fromCharCode(0x21 + i)).join('');
const KEYS = [
  PRINTABLE,
  'sk-live/9f4c+1e77=b2d0&"4a6e\\',
  'a%41b%2Fc\\u0041d&amp;e',
  'n0thing-special-at-all',
  'key\\',
];

const hex = (char: string, width: number): string => char.charCodeAt(0).toString(16).padStart(width, '0');
const each = (write: (char: string) => string) => (text: string) => Array.from(text, write).join('');
const ENTITY: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#039;',
};

/** Ways in which programs write text inside of other text. */
const WAYS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  'JSON with slashes escaped': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'JSON as Gson writes it': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll(/[<>&='/]/g, (char) => `\\u${hex(char, 4)}`),
  'JSON, every character': each((char) => `\\u${hex(char, 4)}`),
  'JSON, every character, capitals': each((char) => `\\u${hex(char, 4).toUpperCase()}`),
  'a script’s text': each((char) => `\\x${hex(char, 2)}`),
  'an address’s part': (text) => encodeURIComponent(text),
  'an address, every character': each((char) => `%${hex(char, 2)}`),
  'an address, every character, capitals': each((char) => `%${hex(char, 2).toUpperCase()}`),
  HTML: each((char) => ENTITY[char] ?? char),
  'HTML, decimal': each((char) => `&#${char.charCodeAt(0)};`),
  'HTML, hexadecimal': each((char) => `&#x${hex(char, 2)};`),
};
const ENDS: Readonly<Record<string, (text: string) => string>> = {
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64 after a byte': (text) => Buffer.from(`:${text}`).toString('base64'),
  'base64 after two bytes': (text) => Buffer.from(`u:${text}!`).toString('base64'),
  'base64 for addresses': (text) => Buffer.from(text).toString('base64url'),
  hexadecimal: (text) => Buffer.from(text).toString('hex'),
  'hexadecimal in capitals': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'UTF-16': (text) => Buffer.from(text, 'utf16le').toString('latin1'),
};

describe('a key is hidden in every form', () => {
  const forms = Object.entries({ ...WAYS, ...ENDS });
  test.each(forms)('%s', (_, write) => {
    for (const key of KEYS.slice(0, 4)) {
      const finder = new KeyFinder([key]);
      const text = `"said ${write(key)} twice: ${write(key)}."`;
      const hidden = finder.hide(text);
      expect(hidden).not.toContain(write(key));
      expect(hidden.split(KEY_MARK)).toHaveLength(3);
      expect(hidden.startsWith('"said ')).toBe(true);
      expect(hidden.endsWith('."')).toBe(true);
      expect(finder.holds(text)).toBe(true);
    }
  });

  test('in any mixture, layer upon layer', () => {
    const way = fc.constantFrom(...Object.values(WAYS));
    const key = fc
      .string({ unit: fc.constantFrom(...PRINTABLE.split('')), minLength: 8, maxLength: 40 })
      .filter((secret) => keyProblem(secret) === undefined);
    fc.assert(
      fc.property(
        key,
        fc.array(way, { maxLength: 4 }),
        fc.constantFrom('', '{"info":"', 'a/b?k='),
        (secret, ways, before) => {
          const written = ways.reduce((text, write) => write(text), secret);
          const hidden = new KeyFinder([secret]).hide(`${before}${written}" `);
          expect(hidden).toContain(KEY_MARK);
          expect(hidden).not.toContain(written);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('each character in a way of its own', () => {
    const one = fc.constantFrom('JSON, every character', 'an address, every character', 'HTML, decimal', 'as it is');
    fc.assert(
      fc.property(fc.array(one, { minLength: 30, maxLength: 30 }), (ways) => {
        const secret = 'sk-9f4c1e77-b2d0-4a6e-87aa-001';
        const written = Array.from(secret, (char, i) => WAYS[ways[i] ?? 'JSON']?.(char)).join('');
        expect(new KeyFinder([secret]).hide(`<${written}>`)).toBe(`<${KEY_MARK}>`);
      }),
    );
  });
});

test('JSON stays JSON, and everything else in it stays as it came', () => {
  const [key = ''] = KEYS;
  const text = `{"n":12345678901234567890,"a":${JSON.stringify(`x${key}y`)},${JSON.stringify(key)}:"\\u00e9\\/","z":[]}`;
  const hidden = new KeyFinder([key]).hide(text);
  expect(hidden).toBe(`{"n":12345678901234567890,"a":"x${KEY_MARK}y","${KEY_MARK}":"\\u00e9\\/","z":[]}`);
});

test('text without the key is returned as it is', () => {
  const finder = new KeyFinder(['sk-9f4c1e77-b2d0']);
  for (const text of [
    '',
    'plain',
    '{"url":"https:\\/\\/a.example\\/%20?x&amp;y"}',
    '\\',
    '%',
    '&',
    '\\u00',
    '%zz',
    '&#;',
  ]) {
    expect(finder.hide(text)).toBe(text);
    expect(finder.hide(text, true)).toBe(text);
    expect(finder.holds(text)).toBe(false);
  }
});

test('where a text was cut, the beginning of the key at its end is hidden, too', () => {
  const key = 'sk/9f4c1e77-b2d0-4a6e';
  const finder = new KeyFinder([key]);
  for (const write of Object.values(WAYS)) {
    const whole = `"info":"for ${write(key)}`;
    const from = whole.indexOf(write(key.slice(0, 6))) + write(key.slice(0, 6)).length;
    for (let length = from; length < whole.length; length += 1) {
      expect(finder.hide(whole.slice(0, length), true)).toBe(`"info":"for ${KEY_MARK}`);
    }
  }
  expect(finder.hide(`for ${key.slice(0, 12)}`)).toBe(`for ${key.slice(0, 12)}`);
});

test('what was hidden is still known as the key’s place', () => {
  const finder = new KeyFinder(['sk-9f4c1e77-b2d0']);
  expect(finder.holds(finder.hide('say sk-9f4c1e77-b2d0!'))).toBe(true);
});

test('several keys, and none', () => {
  expect(new KeyFinder(['first-key-1', 'second-key-2']).hide('second-key-2 first-key-1')).toBe(
    `${KEY_MARK} ${KEY_MARK}`,
  );
  expect(new KeyFinder([]).hide('first-key-1')).toBe('first-key-1');
});

test('nesting without end takes no time without end', () => {
  const finder = new KeyFinder(['sk-9f4c1e77-b2d0']);
  for (const text of [
    '\\'.repeat(1 << 20),
    `%${'25'.repeat(1 << 19)}`,
    `&${'amp;'.repeat(1 << 18)}`,
    '['.repeat(1 << 20),
  ]) {
    expect(finder.holds(text)).toBe(false);
  }
});

describe('the work grows with the text alone', () => {
  const KEY = 'sk/9f4c1e77-b2d0-4a6e-87aa';
  const NEARLY = KEY.slice(0, -1);
  const nested = (times: number): string => '%41'.replace('%', `%${'25'.repeat(times)}`);
  const texts: Readonly<Record<string, string>> = {
    'escapes fifteen deep': nested(15),
    'entities fifteen deep': `&${'amp;'.repeat(15)}#65;`,
    'every kind of escape': String.raw`\u005cu0026amp;%2525u005c\\`,
    backslashes: '\\',
    'escapes that are cut': '\\u00&#6%4',
    'names without end': '&aaaaaaaaaaaaaaa',
    'the key without its end': NEARLY,
    'the key without its end, escaped': each((char) => `%${hex(char, 2)}`)(NEARLY),
    'the key without its end, in base64': Buffer.from(NEARLY).toString('base64'),
    'the key': `${KEY} `,
    'the key, escaped': each((char) => `\\u${hex(char, 4)}`)(KEY),
  };

  /** Looks at single characters and searches, as a count. */
  function stepsOf(work: () => void): { readonly looks: number; readonly searches: number } {
    const looks = vi.spyOn(String.prototype, 'charCodeAt');
    const searches = vi.spyOn(String.prototype, 'indexOf');
    try {
      work();
      return { looks: looks.mock.calls.length, searches: searches.mock.calls.length };
    } finally {
      looks.mockRestore();
      searches.mockRestore();
    }
  }

  test.each(Object.entries(texts))('%s', (_, unit) => {
    const finder = new KeyFinder([KEY]);
    const text = unit.repeat(Math.ceil(4096 / unit.length));
    const once = stepsOf(() => finder.hide(text, true));
    const twice = stepsOf(() => finder.hide(text + text, true));
    expect(once.looks).toBeLessThan(40 * text.length);
    expect(twice.looks).toBeLessThan(2.2 * once.looks + 1000);
    expect(twice.searches).toBeLessThan(2.2 * once.searches + 100);
  });

  test('however many keys it holds, levels below are looked at where they differ', () => {
    const finder = new KeyFinder(['a'.repeat(8)]);
    const flat = `${'a'.repeat(8)} `.repeat(2000);
    const once = stepsOf(() => finder.hide(flat));
    const deep = stepsOf(() => finder.hide(`${flat}%${'25'.repeat(20)}41`));
    expect(deep.searches).toBeLessThan(once.searches + 1000);
  });

  test('also where the key overlaps itself', () => {
    const finder = new KeyFinder(['ab'.repeat(2048)]);
    for (const text of ['ab'.repeat(16_384), `c${'ab'.repeat(2047)}`.repeat(8)]) {
      const { looks, searches } = stepsOf(() => finder.hide(text));
      expect(looks).toBeLessThan(4 * text.length);
      expect(searches).toBeLessThan(100);
    }
    expect(finder.hide(`c${'ab'.repeat(2100)}c`)).toBe(`c${KEY_MARK}c`);
  });
});

test('a key that could not be found again is refused', () => {
  expect(keyProblem('1234567')).toContain('shorter than 8');
  expect(keyProblem('12345678')).toBeUndefined();
  expect(keyProblem('')).toContain('empty');
  expect(keyProblem('with a blank')).toContain('spaces');
  expect(keyProblem('%F0!!\\!!')).toContain('almost entirely of escapes');
  expect(keyProblem('%F0!!\\!!a')).toBeUndefined();
});
