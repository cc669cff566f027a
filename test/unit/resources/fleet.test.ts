import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildProgram } from '../../../src/cli/program.ts';

test('the unit for systemd starts a worker by options that it has, and gives it its key as a credential', () => {
  const unit = readFileSync(new URL('../../../resources/fleet/nocturne-worker@.service', import.meta.url), 'utf8');
  const [, command = ''] = /^ExecStart=\/usr\/bin\/nocturne (.*)$/mu.exec(unit) ?? [];
  const [name, ...words] = command.split(' ');
  const worker = buildProgram('0', () => undefined).commands.find((one) => one.name() === name);
  const known = worker?.options.map(({ long }) => long) ?? [];
  const used = words.filter((word) => word.startsWith('--'));
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((option) => !known.includes(option))).toEqual([]);
  const [, credential] = /^LoadCredential=(\w+):/mu.exec(unit) ?? [];
  expect(command).toContain(`--key-file %d/${credential}`);
  expect(unit).not.toMatch(/AI_KEY/u);
});
