#!/usr/bin/env node
/** The command line: the same engine as the window's, without a screen. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { backupCommand, type BackupOptions } from './commands/backup.ts';
import { checkCommand, type CheckCommandOptions } from './commands/check.ts';
import { demoCommand, type DemoOptions } from './commands/demo.ts';
import { evidenceCommand, type EvidenceOptions } from './commands/evidence.ts';
import { exportCommand, type ExportOptions } from './commands/export.ts';
import { gatewayCommand, type GatewayCommandOptions } from './commands/gateway.ts';
import { newCommand, templatesCommand } from './commands/new.ts';
import { profileCheckCommand, profileSeenCommand, profileShowCommand } from './commands/profile.ts';
import {
  resolveCommand,
  resumeCommand,
  retryCommand,
  type ResolveOptions,
  type GoOnOptions,
  type RetryOptions,
} from './commands/resume.ts';
import { resultsCommand, type ResultsOptions } from './commands/results.ts';
import { runCommand, type RunOptions } from './commands/run.ts';
import { statusCommand } from './commands/status.ts';
import { updateCommand, type UpdateOptions } from './commands/update.ts';
import { verifyCommand } from './commands/verify.ts';
import { tlsProblem } from '../shared/domain/gateway/hosts.ts';
import { Console, print } from './console.ts';
import { CommandFailure, EXIT, type ExitCode } from './exit-code.ts';
import { withKeyOptions } from './gateway-key.ts';
import { withCommonOptions, withSheetOptions, type CommonOptions, type GatewayOptions } from './options.ts';
import { withMeaningOptions } from './sheet-meaning.ts';

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

/** Where a command ends early: help and wrong usage (already printed), an expected failure, or a bug. */
function endOf(error: unknown, json: boolean): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof CommandFailure) {
    const { message, remedy, exitCode } = error;
    if (json) print(process.stdout, `${JSON.stringify({ event: 'error', message, remedy, exitCode })}\n`);
    print(process.stderr, `error: ${message}\n    → ${remedy}\n`);
    return exitCode;
  }
  print(
    process.stderr,
    `This is a bug in Nocturne. Please report it:\n${error instanceof Error ? error.stack : String(error)}\n`,
  );
  return EXIT.bug;
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** Gathers an option that is given several times; one that takes all words after it would take the batch's name, too. */
function collect(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value];
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
  const command = (usage: string, description: string): Command =>
    withCommonOptions(program.command(usage).description(description));
  const bringingIn = (usage: string, description: string): Command =>
    withMeaningOptions(withSheetOptions(command(usage, description)), collect);
  const consoleOf = (options: CommonOptions): Console =>
    new Console({ json: options.json === true, quiet: options.quiet === true });

  command('demo', 'a rehearsal night on the built-in gateway: sheet in, folder out')
    .option('--out <dir>', 'media folder; a new one beside the earlier ones where nothing is said')
    .option('--rows <n>', 'how many rows')
    .option('--seed <n>', 'another seed, other media and durations')
    .action(async (options: DemoOptions) => {
      end(await demoCommand(consoleOf(options), options));
    });
  command('gateway', 'the built-in gateway alone; prints one line of JSON with baseUrl')
    .option('--port <n>', 'port to listen on; a free one where nothing is said')
    .option('--seed <n>', 'another seed, other codes, durations and faults')
    .option('--behaviour <file>', 'JSON file that says how it behaves, or the name of a preset')
    .option('--charge-log <file>', 'file that every charge is appended to, one JSON document a line')
    .action(async (options: CommonOptions & GatewayCommandOptions) => {
      end(await gatewayCommand(consoleOf(options), options));
    });
  command('templates', 'templates: the common chains, an example of each operation, empty ones').action(
    (options: CommonOptions) => {
      end(templatesCommand(consoleOf(options)));
    },
  );
  command('new <template> <file>', 'write a template as a CSV file; no file is replaced').action(
    (template: string, file: string, options: CommonOptions) => {
      end(newCommand(consoleOf(options), template, file));
    },
  );
  bringingIn('check <sheet>', 'everything wrong with a sheet; nothing is sent')
    .option('--profile <file>', 'profile that the sheet will run with')
    .action(async (sheet: string, options: CheckCommandOptions) => {
      end(await checkCommand(consoleOf(options), sheet, options));
    });
  withKeyOptions(bringingIn('run <sheet>', 'import a sheet and render it'))
    .requiredOption('--out <dir>', 'media folder')
    .option('--profile <file>', 'how the gateway behaves')
    .option('--base-url <url>', 'address of the gateway, over that of the profile')
    .option('--name <name>', 'name of the batch; the file’s name where nothing is said')
    .option('--max-submits <n>', 'never more paid requests than this for the batch')
    .action(async (sheet: string, options: RunOptions) => {
      end(await runCommand(consoleOf(options), sheet, options));
    });
  withKeyOptions(command('resume [batch]', 'go on after a stop, a kill, a pause; the newest batch where none is named'))
    .option('--max-submits <n>', 'another limit: never more paid requests than this for the batch')
    .option('--profile <file>', 'the profile of its gateway, corrected')
    .option('--base-url <url>', 'address of its gateway, corrected; the origin stays')
    .action(async (batch: string | undefined, options: GoOnOptions) => {
      end(await resumeCommand(consoleOf(options), batch, options));
    });
  withKeyOptions(command('retry <batch>', 'set failed rows going again'))
    .option('--failed', 'all rows that failed')
    .option('--row <id>', 'this row; may be given several times', collect)
    .action(async (batch: string, options: RetryOptions) => {
      end(await retryCommand(consoleOf(options), batch, options));
    });
  withKeyOptions(command('resolve <batch>', 'settle a row whose paid request’s outcome is unknown'))
    .requiredOption('--row <id>', 'the row; several times with --resubmit and --write-off', collect)
    .option('--adopt <taskCode>', 'the gateway accepted it under this code; it is asked first')
    .option('--resubmit', 'send it again; it may be charged twice')
    .option('--write-off', 'give it up')
    .action(async (batch: string, options: ResolveOptions) => {
      end(await resolveCommand(consoleOf(options), batch, options));
    });
  withKeyOptions(
    command(
      'update <batch> [sheet]',
      'bring a batch’s sheet in again: what is new or changed is rendered, and nothing else',
    ),
  )
    .option('--dry-run', 'only say what changed and what it would cost')
    .option('--remove', 'remove rows that the sheet does not have any more; their files stay')
    .option('--with-dependents', 'render rows again, too, that refer to a changed one')
    .action(async (batch: string, sheet: string | undefined, options: UpdateOptions) => {
      end(await updateCommand(consoleOf(options), batch, sheet, options));
    });
  command('results <batch>', 'write the results as columns into a copy beside the sheet')
    .option('--out <file>', 'into this file, which is replaced')
    .option('--into-original', 'into the sheet itself; a backup is saved as .bak')
    .action(async (batch: string, options: ResultsOptions) => {
      end(await resultsCommand(consoleOf(options), batch, options));
    });
  command('status [batch]', 'the batches and how far they are').action(
    async (batch: string | undefined, options: CommonOptions) => {
      end(await statusCommand(consoleOf(options), batch, options));
    },
  );
  command(
    'evidence <batch>',
    'what is known of paid requests whose outcome is unknown: when, what was sent, what came back',
  )
    .option('--row <id>', 'this row, whatever its status; may be given several times', collect)
    .option('--out <file>', 'write all of it, byte for byte, as JSON')
    .action(async (batch: string, options: EvidenceOptions) => {
      end(await evidenceCommand(consoleOf(options), batch, options));
    });
  command('backup', 'a complete copy of the store in one file, also in the middle of a night')
    .requiredOption('--out <file>', 'file to write; an existing one is not replaced')
    .action(async (options: BackupOptions) => {
      end(await backupCommand(consoleOf(options), options));
    });
  command('export <batch>', 'a whole media folder of a batch, somewhere else')
    .requiredOption('--out <dir>', 'folder to write; made where it is missing')
    .action(async (batch: string, options: ExportOptions) => {
      end(await exportCommand(consoleOf(options), batch, options));
    });
  command('verify <dir>', 'every file of a media folder against its manifest').action(
    async (dir: string, options: CommonOptions) => {
      end(await verifyCommand(consoleOf(options), dir));
    },
  );
  const profile = program
    .command('profile')
    .description('profiles: gateway settings that its interface does not define');
  withCommonOptions(profile.command('check <file>').description('whether a profile can be used')).action(
    (file: string, options: CommonOptions) => {
      end(profileCheckCommand(consoleOf(options), file));
    },
  );
  withCommonOptions(profile.command('show').description('the whole profile, with every default filled in'))
    .option('--profile <file>', 'the profile to show')
    .option('--base-url <url>', 'address of the gateway, over that of the profile')
    .action((options: CommonOptions & GatewayOptions) => {
      end(profileShowCommand(options));
    });
  withCommonOptions(
    profile
      .command('seen')
      .description('what your gateways’ statuses were seen to mean, and what your profile leaves open'),
  ).action(async (options: CommonOptions) => {
    end(await profileSeenCommand(consoleOf(options), options));
  });
  for (const sub of [...program.commands, ...profile.commands]) sub.exitOverride();
  return program;
}

// Whoever read along has gone (`| head`, a closed terminal): a night that costs money does not end for that.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

process.exitCode = await main(process.argv.slice(2));
