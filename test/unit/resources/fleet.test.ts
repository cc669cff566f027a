import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { buildProgram } from '../../../src/cli/program.ts';

const FLEET = new URL('../../../resources/fleet/', import.meta.url);

function file(name: string): string {
  return readFileSync(new URL(name, FLEET), 'utf8');
}

/** The options of a command line that the program does not have. */
function unknownIn([name, ...words]: readonly string[]): readonly string[] {
  const command = buildProgram('0', () => undefined).commands.find((one) => one.name() === name);
  const known = command?.options.map(({ long }) => long) ?? [];
  const used = words.filter((word) => word.startsWith('--'));
  expect(used.length).toBeGreaterThan(0);
  return used.filter((option) => !known.includes(option));
}

test('the unit for systemd starts a worker by options that it has, and gives it its key as a credential', () => {
  const unit = file('nocturne-worker@.service');
  const [, command = ''] = /^ExecStart=\/usr\/bin\/nocturne (.*)$/mu.exec(unit) ?? [];
  expect(unknownIn(command.split(' '))).toEqual([]);
  const [, credential] = /^LoadCredential=(\w+):/mu.exec(unit) ?? [];
  expect(command).toContain(`--key-file %d/${credential}`);
  expect(unit).not.toMatch(/AI_KEY/u);
});

interface Service {
  readonly command?: readonly string[];
  readonly secrets: readonly string[];
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly healthcheck: { readonly test: readonly string[] };
  readonly stop_grace_period: string;
  readonly environment: Readonly<Record<string, string>>;
}

test('the composition starts workers by options that they have, with secrets that it names, and asks for their health', () => {
  const { services, secrets } = parse(file('compose.yaml')) as {
    readonly services: Readonly<Record<'database' | 'worker', Service>>;
    readonly secrets: Readonly<Record<string, unknown>>;
  };
  const { command = [], build, healthcheck, stop_grace_period: grace } = services.worker;
  expect(unknownIn(command)).toEqual([]);
  for (const service of Object.values(services)) {
    const read = JSON.stringify([service.command, service.environment]).match(/\/run\/secrets\/([\w-]+)/gu) ?? [];
    expect(read.map((path) => path.slice('/run/secrets/'.length)).toSorted()).toEqual([...service.secrets].toSorted());
    expect(service.secrets.filter((name) => !(name in secrets))).toEqual([]);
    expect(JSON.stringify(service.environment)).not.toMatch(/AI_KEY|PGPASSWORD/u);
  }
  const port = command
    .at(command.indexOf('--health') + 1)
    ?.split(':')
    .at(-1);
  expect(healthcheck.test.at(-1)).toContain(`http://127.0.0.1:${port}/healthz`);
  // As long as the unit for systemd gives it.
  expect(file('nocturne-worker@.service')).toContain('TimeoutStopSec=5min');
  expect(grace).toBe('5m');
  const context = new URL(`${build?.context}/`, FLEET);
  expect(existsSync(new URL(build?.dockerfile ?? 'none', context))).toBe(true);
});
