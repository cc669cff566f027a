import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildProgram } from '../../../src/cli/program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const CLI = join(import.meta.dirname, '../../../src/cli');

/** The properties of each interface of options; the parts behind the doors have options of their own. */
function optionsByInterface(): ReadonlyMap<string, readonly string[]> {
  const files = ['commands', 'options', 'files-place'].flatMap((folder) =>
    readdirSync(join(CLI, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(CLI, folder, name)),
  );
  const found = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(/^export interface (\w*Options)\b[^{]*\{([^]*?)^\}/gmu),
    ]);
  return new Map(
    found.map(([, name = '', body = '']) => [
      name,
      [...body.matchAll(/^ {2}readonly (\w+)/gmu)].map(([, property = '']) => property),
    ]),
  );
}

test('every option is known to a command, and every one that a command knows can be given', () => {
  const program = buildProgram('', () => undefined);
  const commands = program.commands.flatMap((command) => [command, ...command.commands]);
  const given = new Set(commands.flatMap(({ options }) => options.map((option) => option.attributeName())));
  expect(given.size).toBeGreaterThan(50);
  expect([...given].toSorted()).toEqual([...new Set([...optionsByInterface().values()].flat())].toSorted());
});

test('a command that knows an option can be given it itself', () => {
  const interfaces = optionsByInterface();
  const single = buildProgram('', () => undefined).commands.filter(({ commands }) => commands.length === 0);
  const missing = single.flatMap((command) => {
    const name = command.name();
    const ofCommand = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const given = new Set(command.options.map((option) => option.attributeName()));
    return [`${ofCommand}Options`, `${ofCommand}CommandOptions`]
      .flatMap((known) => interfaces.get(known) ?? [])
      .flatMap((property) => (given.has(property) ? [] : [`${name}: ${property}`]));
  });
  expect(missing).toEqual([]);
});

test('an option with an empty value is refused, unless nothing is a value of it', async () => {
  const answerTo = async (...args: readonly string[]): Promise<unknown> => {
    try {
      return await buildProgram('', () => undefined).parseAsync(args, { from: 'user' });
    } catch (error) {
      return error;
    }
  };
  expect(await answerTo('run', 's.csv', '--out', '')).toMatchObject({
    exitCode: 2,
    message: '--out <dir> is given, but empty.',
  });
  // For all commands: an unset variable must name neither this folder nor this computer’s store.
  expect(await answerTo('status', '--data', '')).toMatchObject({ message: '--data <dir> is given, but empty.' });
  expect(await answerTo('status', '--store', '')).toMatchObject({ message: '--store <url> is given, but empty.' });
  const review = ['review', 'b', '--row', 'a', '--note', '', '--data', temporaryFolder()];
  expect(await answerTo(...review)).toMatchObject({ message: expect.stringContaining('There is no batch') as unknown });
});
