import type { Command, Option } from 'commander';
import { buildProgram } from '../../src/cli/program.ts';
import { table } from './markdown.ts';

/** The reference page of the command line, as Markdown: what each command says about itself with `--help`. */
export function commandLinePage(): string {
  const program = buildProgram('', () => undefined);
  const commands = program.commands.flatMap((command) =>
    command.commands.length > 0 ? [...command.commands] : [command],
  );
  const common = commonOptions(commands);
  return `${[
    '# Command line',
    'This page is generated from `src/cli/command-table.ts` by `npm run docs`; edit the table of commands, not the page.',
    'In a checkout, `npm run -s nocturne --` stands for `nocturne`. Every command takes these, and `--help`:',
    optionTable(common),
    ...commands.flatMap((command) => section(command, common)),
  ].join('\n\n')}\n`;
}

/** Options that every command has. */
function commonOptions(commands: readonly Command[]): readonly Option[] {
  const [first, ...others] = commands;
  return (first?.options ?? []).filter(({ flags }) =>
    others.every(({ options }) => options.some((option) => option.flags === flags)),
  );
}

function section(command: Command, common: readonly Option[]): readonly string[] {
  const options = command.options.filter(({ flags }) => common.every((option) => option.flags !== flags));
  const group = command.parent?.parent ? `${command.parent.name()} ` : '';
  const given = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );
  const [first = '', ...rest] = command.description();
  return [
    `## nocturne ${group}${command.name()}`,
    `\`nocturne ${[group + command.name(), ...given].join(' ')}\``,
    `${first.toUpperCase()}${rest.join('')}.`,
    ...(options.length === 0 ? [] : [optionTable(options)]),
  ];
}

function optionTable(options: readonly Option[]): string {
  return table(
    ['option', 'meaning'],
    options.map(({ flags, description, mandatory }) => [
      `\`${flags}\``,
      // Otherwise Markdown takes it for markup, and shows nothing.
      description.replaceAll(/<[\w-]+>/gu, '`$&`') + (mandatory ? ' (required)' : ''),
    ]),
  );
}
