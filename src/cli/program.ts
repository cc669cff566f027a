/** A command line, as Commander parses it for the table of commands, and how it ends. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { tlsProblem } from '../shared/domain/gateway/hosts.ts';
import { Console, print } from './console.ts';
import { endOf, EXIT, exitCodesInHelp, wrongUsage, type ExitCode } from './ending.ts';
import { withCommonOptions, type CommonOptions } from './options/common-options.ts';
import { type CommandEntry, GROUPS, COMMANDS } from './command-table.ts';

/**
 * Runs one command line, without the program's name; resolves with the exit code. `manifest` is the package's, which
 * knows the version.
 */
export async function runProgram(args: readonly string[], manifest: URL): Promise<ExitCode> {
  const unsafe = tlsProblem(process.env);
  if (unsafe !== undefined) {
    print(process.stderr, `error: ${unsafe}\n`);
    return EXIT.usage;
  }
  let exitCode: ExitCode = EXIT.done;
  const program = buildProgram(versionIn(manifest), (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    return endOf(error, args.includes('--json'));
  }
}

/** Every command with its options; `end` gets the exit code of the one that is called. */
export function buildProgram(version: string, end: (code: ExitCode) => void): Command {
  const program = new Command('nocturne')
    .description('Renders a spreadsheet of prompts overnight through an asynchronous media-generation gateway.')
    .version(version, '--version', 'print the version')
    .configureOutput({
      writeOut: (text) => {
        print(process.stdout, text);
      },
      writeErr: (text) => {
        print(process.stderr, text);
      },
    })
    .exitOverride()
    .showHelpAfterError('(--help lists the commands and their options)');
  program.addHelpText(
    'after',
    `
The key comes from NOCTURNE_AI_KEY or --key-file, never from an argument. It goes to the first gateway that it was
used with; --send-key-to ORIGIN sends it to another one as well.

Exit codes:
${exitCodesInHelp()}`,
  );
  const groups = new Map<string, Command>();
  for (const entry of COMMANDS) {
    const [first = ''] = entry.usage.split(' ');
    const isGrouped = Object.hasOwn(GROUPS, first);
    if (isGrouped && !groups.has(first)) {
      groups.set(
        first,
        program
          .command(first)
          .description(GROUPS[first] ?? '')
          .exitOverride(),
      );
    }
    addCommand(
      groups.get(first) ?? program,
      isGrouped ? entry.usage.slice(first.length + 1) : entry.usage,
      entry,
      version,
      end,
    );
  }
  return program;
}

function addCommand(
  parent: Command,
  usage: string,
  { description, options = (command) => command, load }: CommandEntry,
  version: string,
  end: (code: ExitCode) => void,
): void {
  const command = options(withCommonOptions(parent.command(usage).description(description)));
  command.exitOverride().action(async (...given: unknown[]) => {
    refuseEmpty(command);
    const { json, quiet } = command.opts<CommonOptions>();
    const run = await load(version);
    const console = new Console({ json: json === true, quiet: quiet === true });
    // The table types what Commander parses for each handler; the last value that Commander passes is the command.
    end(await run(console, ...(given.slice(0, -1) as never[])));
  });
}

/** Options for which nothing is a value: an empty note takes the note away. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set(['--note']);

/**
 * Refuses an option with an empty value, which is what a script gives for a variable that is not set: as a folder it
 * would be the current one, as a store the one on this computer.
 */
function refuseEmpty(command: Command): void {
  const empty = command.options.find(
    (option) => command.getOptionValue(option.attributeName()) === '' && !MAY_BE_EMPTY.has(option.long ?? ''),
  );
  if (empty === undefined) return;
  throw wrongUsage(`${empty.flags} is given, but empty.`, 'Give it a value, or leave the option out.');
}

function versionIn(manifest: URL): string {
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version;
}
