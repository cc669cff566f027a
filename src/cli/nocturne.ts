#!/usr/bin/env node
/** The command line: the same engine as the window's, without a screen. Each command is loaded when it is called. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { tlsProblem } from '../shared/domain/gateway/hosts.ts';
import { Console, print } from './console.ts';
import { endOf, EXIT, type ExitCode } from './ending.ts';
import {
  collect,
  withCommonOptions,
  withKeyOptions,
  withMeaningOptions,
  withSheetOptions,
  type CommonOptions,
  type ProfileOptions,
} from './options.ts';

/** Is given its arguments and then its options, as Commander has parsed them. */
type Handler = (console: Console, ...given: never[]) => Promise<ExitCode> | ExitCode;

interface CommandEntry {
  /** Its name, behind that of its group where it has one, and its arguments. */
  readonly usage: string;
  readonly description: string;
  /** Adds its own options to those that every command has. */
  readonly options?: (command: Command) => Command;
  readonly load: () => Promise<Handler>;
}

const GROUPS: Readonly<Record<string, string>> = {
  profile: 'profiles: gateway settings that its interface does not define',
};

const COMMANDS: readonly CommandEntry[] = [
  {
    usage: 'demo',
    description: 'a rehearsal night on the built-in gateway: sheet in, folder out',
    options: (command) =>
      command
        .option('--out <dir>', 'media folder; by default a new one beside the earlier ones')
        .option('--rows <n>', 'how many rows')
        .option('--seed <n>', 'another seed: other media and durations'),
    load: async () => (await import('./commands/demo.ts')).demoCommand,
  },
  {
    usage: 'gateway',
    description: 'the built-in gateway alone; prints one line of JSON with baseUrl',
    options: (command) =>
      command
        .option('--port <n>', 'port to listen on; by default a free one')
        .option('--seed <n>', 'another seed: other codes, durations and faults')
        .option('--behaviour <file>', 'JSON file that says how it behaves, or the name of a preset')
        .option('--charge-log <file>', 'file that every charge is appended to, one JSON document a line'),
    load: async () => (await import('./commands/gateway.ts')).gatewayCommand,
  },
  {
    usage: 'templates',
    description: 'templates: the common chains, an example of each operation, empty ones',
    load: async () => (await import('./commands/new.ts')).templatesCommand,
  },
  {
    usage: 'new <template> <file>',
    description: 'write a template as a CSV file; no file is replaced',
    load: async () => (await import('./commands/new.ts')).newCommand,
  },
  {
    usage: 'check <sheet>',
    description: 'everything wrong with a sheet; nothing is sent',
    options: (command) =>
      withMeaningOptions(withSheetOptions(command)).option('--profile <file>', 'profile that the sheet will run with'),
    load: async () => (await import('./commands/check.ts')).checkCommand,
  },
  {
    usage: 'run <sheet>',
    description: 'import a sheet and render it',
    options: (command) =>
      withKeyOptions(withMeaningOptions(withSheetOptions(command)))
        .requiredOption('--out <dir>', 'media folder')
        .option('--profile <file>', 'how the gateway behaves')
        .option('--base-url <url>', 'address of the gateway, in place of the profile’s')
        .option('--name <name>', 'name of the batch; by default the name of the file')
        .option('--max-submits <n>', 'never more paid requests than this for the batch'),
    load: async () => (await import('./commands/run.ts')).runCommand,
  },
  {
    usage: 'resume [batch]',
    description: 'continue after a stop, a kill or a pause; by default the newest batch',
    options: (command) =>
      withKeyOptions(command)
        .option('--max-submits <n>', 'another limit: never more paid requests than this for the batch')
        .option('--profile <file>', 'the profile of its gateway, corrected')
        .option('--base-url <url>', 'address of its gateway, corrected; the origin stays'),
    load: async () => (await import('./commands/resume.ts')).resumeCommand,
  },
  {
    usage: 'retry <batch>',
    description: 'try failed rows again',
    options: (command) =>
      withKeyOptions(command)
        .option('--failed', 'all rows that failed')
        .option('--row <id>', 'this row; may be given several times', collect),
    load: async () => (await import('./commands/resume.ts')).retryCommand,
  },
  {
    usage: 'resolve <batch>',
    description: 'settle a row whose paid request’s outcome is unknown',
    options: (command) =>
      withKeyOptions(command)
        .requiredOption('--row <id>', 'the row; may be given several times with --resubmit and --write-off', collect)
        .option('--adopt <taskCode>', 'the gateway accepted it under this code; it is asked first')
        .option('--resubmit', 'send it again; it may be charged twice')
        .option('--write-off', 'give it up'),
    load: async () => (await import('./commands/resume.ts')).resolveCommand,
  },
  {
    usage: 'update <batch> [sheet]',
    description: 'import a batch’s sheet again: what is new or changed is rendered, and nothing else',
    options: (command) =>
      withKeyOptions(command)
        .option('--dry-run', 'only say what changed and what it would cost')
        .option('--remove', 'remove rows that the sheet no longer has; their files stay')
        .option('--with-dependents', 'also render rows again that refer to a changed one'),
    load: async () => (await import('./commands/update.ts')).updateCommand,
  },
  {
    usage: 'results <batch>',
    description: 'write the results as columns into a copy beside the sheet',
    options: (command) =>
      command
        .option('--out <file>', 'into this file, which is replaced')
        .option('--into-original', 'into the sheet itself; a backup is saved as .bak'),
    load: async () => (await import('./commands/write-out.ts')).resultsCommand,
  },
  {
    usage: 'status [batch]',
    description: 'the batches and how far they are',
    load: async () => (await import('./commands/status.ts')).statusCommand,
  },
  {
    usage: 'evidence <batch>',
    description: 'what is known of paid requests whose outcome is unknown: when, what was sent, what came back',
    options: (command) =>
      command
        .option('--row <id>', 'this row, whatever its status; may be given several times', collect)
        .option('--out <file>', 'write all of it, byte for byte, as JSON'),
    load: async () => (await import('./commands/evidence.ts')).evidenceCommand,
  },
  {
    usage: 'backup',
    description: 'a complete copy of the store in one file, also in the middle of a night',
    options: (command) => command.requiredOption('--out <file>', 'file to write; an existing one is not replaced'),
    load: async () => (await import('./commands/write-out.ts')).backupCommand,
  },
  {
    usage: 'export <batch>',
    description: 'a whole media folder of a batch, somewhere else',
    options: (command) => command.requiredOption('--out <dir>', 'folder to write; made where it is missing'),
    load: async () => (await import('./commands/write-out.ts')).exportCommand,
  },
  {
    usage: 'verify <dir>',
    description: 'every file of a media folder against its manifest',
    load: async () => (await import('./commands/write-out.ts')).verifyCommand,
  },
  {
    usage: 'profile check <file>',
    description: 'whether a profile can be used',
    load: async () => (await import('./commands/profile.ts')).profileCheckCommand,
  },
  {
    usage: 'profile show',
    description: 'the whole profile, with every default filled in',
    options: (command) =>
      command
        .option('--profile <file>', 'the profile to show')
        .option('--base-url <url>', 'address of the gateway, in place of the profile’s'),
    load: async () => {
      const { profileShowCommand } = await import('./commands/profile.ts');
      return (_console: Console, options: ProfileOptions) => profileShowCommand(options);
    },
  },
  {
    usage: 'profile seen',
    description: 'what your gateways’ statuses were seen to mean, and what your profile leaves open',
    load: async () => (await import('./commands/profile.ts')).profileSeenCommand,
  },
];

/** Runs one command line, without the program's name; resolves with the exit code. */
async function main(args: readonly string[]): Promise<ExitCode> {
  const unsafe = tlsProblem(process.env);
  if (unsafe !== undefined) {
    print(process.stderr, `error: ${unsafe}\n`);
    return EXIT.usage;
  }
  let exitCode: ExitCode = EXIT.done;
  const program = buildProgram((code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    return endOf(error, args.includes('--json'));
  }
}

function buildProgram(end: (code: ExitCode) => void): Command {
  const program = new Command('nocturne')
    .description('Renders a spreadsheet of prompts overnight through an asynchronous media-generation gateway.')
    .version(version(), '--version', 'print the version')
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
The key is taken from NOCTURNE_AI_KEY or --key-file, never from an argument, and goes to the first gateway that it was
used with; to another one only with --send-key-to ORIGIN.
Exit codes: 0 every row done and verified · 1 a bug · 2 wrong usage, or an invalid sheet or profile (nothing was sent)
· 3 ended with failed rows · 4 rows wait for your decision · 5 paused (auth, balance, limit, fuse, disk)
· 6 another process owns the store · 130 interrupted, everything kept`,
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
    addCommand(groups.get(first) ?? program, isGrouped ? entry.usage.slice(first.length + 1) : entry.usage, entry, end);
  }
  return program;
}

function addCommand(
  parent: Command,
  usage: string,
  { description, options = (command) => command, load }: CommandEntry,
  end: (code: ExitCode) => void,
): void {
  const command = options(withCommonOptions(parent.command(usage).description(description)));
  command.exitOverride().action(async (...given: unknown[]) => {
    const { json, quiet } = command.opts<CommonOptions>();
    const run = await load();
    const console = new Console({ json: json === true, quiet: quiet === true });
    // The table says beside each handler what Commander parses for it; the last of what it gives is the command itself.
    end(await run(console, ...(given.slice(0, -1) as never[])));
  });
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

// Whoever read along has gone (`| head`, a closed terminal): a night that costs money does not end for that.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

process.exitCode = await main(process.argv.slice(2));
