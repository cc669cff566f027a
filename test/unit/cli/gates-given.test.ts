import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { gatesOf } from '../../../src/cli/given.ts';
import { USUAL_GATES } from '../../../src/shared/domain/gates/gate-settings.ts';
import { GATE_CODES, GATES } from '../../../src/shared/domain/gates/gates.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

it('--gates replaces the gates before, --gate adds to them', () => {
  const before = { on: { black: 30, quiet: -35 } };
  expect(gatesOf({}, undefined)).toBeUndefined();
  expect(gatesOf({}, before)).toEqual(before);
  expect(gatesOf({ gates: 'off' }, before)).toBeUndefined();
  expect(gatesOf({ gates: 'off', gate: ['silence'] }, before)).toEqual({ on: { silence: 50 } });
  expect(gatesOf({ gate: ['black=40', 'silence'] }, before)).toEqual({ on: { black: 40, quiet: -35, silence: 50 } });
  expect(gatesOf({ gates: 'default' }, before)).toEqual(USUAL_GATES);
});

it('--gate-again says how often what they flag is rendered again; 0 ends that, and without gates it says nothing', () => {
  const before = { on: { black: 30 }, again: 2 };
  expect(gatesOf({ gateAgain: '3' }, before)).toEqual({ on: { black: 30 }, again: 3 });
  expect(gatesOf({ gate: ['silence'] }, before)).toEqual({ on: { black: 30, silence: 50 }, again: 2 });
  expect(gatesOf({ gateAgain: '0' }, before)).toEqual({ on: { black: 30 } });
  expect(gatesOf({ gates: 'default' }, before)).toEqual(USUAL_GATES);
  expect(gatesOf({ gates: 'off' }, before)).toBeUndefined();
  expect(() => gatesOf({ gateAgain: '1' }, undefined)).toThrow('--gate-again without gates');
  expect(() => gatesOf({ gates: 'default', gateAgain: '11' }, undefined)).toThrow('--gate-again');
  const file = path.join(temporaryFolder(), 'gates.json');
  writeFileSync(file, '{"on":{"black":true},"again":2}');
  expect(gatesOf({ gates: file }, undefined)).toEqual({ on: { black: 50 }, again: 2 });
  writeFileSync(file, '{"on":{"black":true},"again":-1}');
  expect(() => gatesOf({ gates: file }, undefined)).toThrow('again: ');
});

it('a file of gates is read, and one that cannot be is refused in words', () => {
  const file = path.join(temporaryFolder(), 'gates.json');
  writeFileSync(file, '{"on":{"black":true}}');
  expect(gatesOf({ gates: file }, undefined)).toEqual({ on: { black: 50 } });
  writeFileSync(file, '{"on":{"black":101}}');
  expect(() => gatesOf({ gates: file }, undefined)).toThrow('on.black: Not a number from 0 to 100%');
  expect(() => gatesOf({ gates: `${file}.not` }, undefined)).toThrow('ENOENT');
  expect(() => gatesOf({ gate: ['blakc'] }, undefined)).toThrow('There is no gate "blakc".');
});

it('the page of the gates has each of them, as it is', () => {
  const page = readFileSync('docs/gates.md', 'utf8').replaceAll(/ +/gu, ' ');
  for (const code of GATE_CODES) {
    const { rule, usual, unit, kinds } = GATES[code];
    expect(page).toContain(`| \`${code}\` | ${rule} | ${usual}${unit} | ${kinds.join(', ')} |`);
  }
});
