import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { visibleLine, visibleText } from '../../../../src/shared/domain/base/text.ts';
import { CHARACTER } from '../../../support/any-text.ts';

describe('text from elsewhere, made visible', () => {
  test('escape sequences, bidirectional overrides and line separators are written out; tabs and line feeds stay', () => {
    expect(visibleText('a\u001b[31mb\u202egpj.exe\u2028c\td\n')).toBe('a\\u001b[31mb\\u202egpj.exe\\u2028c\td\n');
  });

  test('no text at all lets a control character through, and ordinary text is untouched', () => {
    fc.assert(
      fc.property(fc.string({ unit: CHARACTER }), (text) => {
        expect(visibleText(text)).not.toMatch(/[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
    expect(visibleText('Größe, 月亮船, 🦊!')).toBe('Größe, 月亮船, 🦊!');
  });

  test('a line is one line, cut between characters', () => {
    expect(visibleLine('one\r\n  two', 20)).toBe('one two');
    expect(visibleLine('🦊🦊🦊🦊', 3)).toBe('🦊🦊…');
  });
});
