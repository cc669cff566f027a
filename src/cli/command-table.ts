/** The commands: the same engine as the window's, without a screen. Each is loaded when it is called. */
import type { Command } from 'commander';
import { NIGHT_WORDS } from '../shared/domain/task/night-record.ts';
import { PRESETS } from '../gateway-sim/faults/presets.ts';
import type { DiagnosticsOptions } from './commands/support/diagnostics.ts';
import type { DoorOptions } from './commands/doors/door-options.ts';
import type { WorkerCommandOptions } from './commands/fleet/worker.ts';
import type { Console } from './console.ts';
import type { ExitCode } from './ending.ts';
import {
  collect,
  withAccountKeys,
  withAccountLimits,
  withAccountOptions,
  withFilesPlace,
  withGateOptions,
  withGatesOfRun,
  withKeyOptions,
  withMeaningOptions,
  withNightOptions,
  withOneKeyOptions,
  withSheetOptions,
  type ProfileOptions,
} from './options/common-options.ts';
import { withSpendingOptions } from './options/spending-options.ts';
import { withScheduleOptions } from './options/schedule-options.ts';

/** Gets the arguments and then the options, as Commander has parsed them. */
type Handler = (console: Console, ...given: never[]) => Promise<ExitCode> | ExitCode;

/** A command: what the user reads about it, and what carries it out. */
export interface CommandEntry {
  /** The name of its group, if it has one, then its own name and its arguments. */
  readonly usage: string;
  readonly description: string;
  /** Adds its own options to those of every command. */
  readonly options?: (command: Command) => Command;
  /** @param version The program’s. */
  readonly load: (version: string) => Promise<Handler>;
}

/** What each group of commands is for, by its name. */
export const GROUPS: Readonly<Record<string, string>> = {
  profile: 'check and show profiles: gateway settings that the interface does not define',
};

/** In the order in which the help lists them. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    usage: 'demo',
    description: 'rehearse a night on the built-in gateway, from sheet to folder; costs nothing',
    options: (command) =>
      command
        .option('--out <dir>', 'media folder; by default a new one next to the earlier ones')
        .option('--rows <n>', 'number of rows')
        .option('--seed <n>', 'seed; changes the media and durations')
        .option(
          '--fleet',
          'with several workers on a PostgreSQL started for it: 2,000 rows, and a table of who did what',
        )
        .option('--workers <n>', 'with --fleet, how many workers; 4 by default')
        .option('--accounts <n>', 'with --fleet, how many accounts at the gateway; 8 by default'),
    load: async () => (await import('./commands/demo.ts')).demoCommand,
  },
  {
    usage: 'gateway',
    description: 'run only the built-in gateway; prints one line of JSON with its baseUrl',
    options: (command) =>
      command
        .option('--port <n>', 'port to listen on; a free one by default')
        .option('--seed <n>', 'seed; changes the codes, durations and faults')
        .option(
          '--behaviour <file>',
          `JSON file that describes its behaviour, or a preset: ${Object.keys(PRESETS).join(', ')}`,
        )
        .option('--charge-log <file>', 'file to append every charge to, one JSON document per line'),
    load: async () => (await import('./commands/gateway.ts')).gatewayCommand,
  },
  {
    usage: 'templates',
    description: 'list the templates: common chains, an example of each operation, empty sheets',
    load: async () => (await import('./commands/new.ts')).templatesCommand,
  },
  {
    usage: 'new <template> <file>',
    description: 'write a template as a CSV file; never replaces a file',
    load: async () => (await import('./commands/new.ts')).newCommand,
  },
  {
    usage: 'check <sheet>',
    description: 'list everything wrong with a sheet; sends nothing',
    options: (command) =>
      withFilesPlace(withMeaningOptions(withSheetOptions(command)))
        .option('--profile <file>', 'profile that the sheet will run with')
        .option(
          '--account <name>',
          'an account that rows may name; =PROFILE after it is ignored; can be repeated',
          collect,
        ),
    load: async () => (await import('./commands/check.ts')).checkCommand,
  },
  {
    usage: 'plan <sheet-or-batch>',
    description: 'forecast a run: requests, cost, end, disk; sends nothing',
    options: (command) =>
      withGatesOfRun(
        withSpendingOptions(
          withScheduleOptions(
            withAccountOptions(withAccountKeys(withFilesPlace(withMeaningOptions(withSheetOptions(command))))),
          ),
        ),
      )
        .option('--out <dir>', 'media folder, for the room on its disk')
        .option('--profile <file>', 'profile of the gateway')
        .option('--base-url <url>', 'address of the gateway, in place of the profile’s')
        .option('--canary', 'one row of each kind first; the default above 20 rows')
        .option('--no-canary', 'all rows at once')
        .option('--pick', 'rows that refer to others wait until you have picked a file of those'),
    load: async () => (await import('./commands/plan.ts')).planCommand,
  },
  {
    usage: 'run <sheet>',
    description: 'import a sheet and render it',
    options: (command) =>
      withGatesOfRun(
        withSpendingOptions(
          withScheduleOptions(
            withNightOptions(
              withAccountOptions(withKeyOptions(withFilesPlace(withMeaningOptions(withSheetOptions(command))))),
            ),
          ),
        ),
      )
        .requiredOption('--out <dir>', 'media folder')
        .option('--profile <file>', 'profile of the gateway')
        .option('--base-url <url>', 'address of the gateway, in place of the profile’s')
        .option('--name <name>', 'name of the batch; the name of the file by default')
        .option('--canary', 'one row of each kind first, the rest once its file is verified; the default above 20 rows')
        .option('--no-canary', 'all rows at once')
        .option('--pick', 'rows that refer to others wait until you have picked a file of those'),
    load: async () => (await import('./commands/run.ts')).runCommand,
  },
  {
    usage: 'resume [batch]',
    description: 'continue a batch after a stop, a kill or a pause; the newest one by default',
    options: (command) =>
      withGatesOfRun(
        withSpendingOptions(
          withScheduleOptions(withNightOptions(withAccountLimits(withKeyOptions(withFilesPlace(command))))),
        ),
      )
        .option('--first', 'submit before all other batches of its account, from now on')
        .option('--no-first', 'take turns with them again')
        .option('--account <name>', 'continue only this one of the accounts that stand still; can be repeated', collect)
        .option('--canary', 'one row of each kind first from now on')
        .option('--no-canary', 'send the rest, whatever became of the first row of a kind')
        .option('--pick', 'rows that refer to others wait for your pick from now on')
        .option('--no-pick', 'wait only where the column pick says so')
        .option('--profile <file>', 'corrected profile of its gateway')
        .option('--base-url <url>', 'corrected address of its gateway, on the same origin'),
    load: async () => (await import('./commands/resume.ts')).resumeCommand,
  },
  {
    usage: 'pause [batch]',
    description: 'on a shared store: send nothing new of a batch until it is resumed; the newest one by default',
    options: (command) => command.option('--all', 'pause everything that runs'),
    load: async () => (await import('./commands/turn.ts')).pauseCommand,
  },
  {
    usage: 'worker',
    description:
      'render the running batches of a store on a server, alongside other workers, with the accounts whose keys it has',
    options: (command) =>
      withKeyOptions(command)
        .option('--name <name>', 'name of this worker; the name of the machine by default')
        .option(
          '--lease <seconds>',
          'how long after this worker was last heard of its accounts become free; 30 by default',
        )
        .option(
          '--health <address>',
          'answer /healthz, and /metrics for Prometheus, at this port or HOST:PORT; on this machine alone without a host',
        ),
    load: async (version) => {
      const { workerCommand } = await import('./commands/fleet/worker.ts');
      return (console: Console, options: WorkerCommandOptions) => workerCommand(console, version, options);
    },
  },
  {
    usage: 'limits',
    description: `show or set what all batches together may spend in a night and in a month. ${NIGHT_WORDS}`,
    options: (command) =>
      command
        .option('--night-requests <n>', 'the most paid requests in a night; off lifts the limit')
        .option('--night-cost <amount>', 'the most money in a night, such as "12.50 EUR"; off lifts the limit')
        .option('--month-requests <n>', 'the most paid requests in a calendar month; off lifts the limit')
        .option('--month-cost <amount>', 'the most money in a calendar month; off lifts the limit'),
    load: async () => (await import('./commands/limits.ts')).limitsCommand,
  },
  {
    usage: 'retry <batch>',
    description: 'retry failed rows',
    options: (command) =>
      withKeyOptions(command)
        .option('--failed', 'all failed rows')
        .option('--row <id>', 'this row; may be given several times', collect),
    load: async () => (await import('./commands/resume.ts')).retryCommand,
  },
  {
    usage: 'hold <batch>',
    description: 'hold rows: nothing new is sent for them until they are released',
    options: withRows,
    load: async () => (await import('./commands/turn.ts')).holdCommand,
  },
  {
    usage: 'release <batch>',
    description: 'release held rows, and render them',
    options: (command) => withRows(withKeyOptions(command)),
    load: async () => (await import('./commands/turn.ts')).releaseCommand,
  },
  {
    usage: 'next <batch>',
    description: 'render these rows before all others of the batch, held or not',
    options: (command) => withRows(withKeyOptions(command)),
    load: async () => (await import('./commands/turn.ts')).nextCommand,
  },
  {
    usage: 'rename <batch> <name>',
    description: 'give a batch another name; its folder keeps its own',
    load: async () => (await import('./commands/turn.ts')).renameCommand,
  },
  {
    usage: 'resolve <batch>',
    description: 'settle a row whose paid request has an unknown outcome',
    options: (command) =>
      withKeyOptions(command)
        .requiredOption('--row <id>', 'the row; may be given several times with --resubmit and --write-off', collect)
        .option('--adopt <taskCode>', 'the gateway accepted it under this code; Nocturne asks the gateway first')
        .option('--resubmit', 'send it again; you may be charged twice')
        .option('--write-off', 'give it up as lost')
        .option('--yes', 'also resubmit rows that settle themselves'),
    load: async () => (await import('./commands/resume.ts')).resolveCommand,
  },
  {
    usage: 'review <batch>',
    description: 'record what you think of rendered files: the manifest holds it, and it decides what is delivered',
    options: (command) =>
      command
        .requiredOption('--row <id>', 'the row')
        .option('--take <n>', 'only the files of this take')
        .option('--file <n>', 'only this file of a take that has several, from 1')
        .option('--keep', 'keep them')
        .option('--reject', 'reject them; the files go to the folder rejected')
        .option('--rate <0..5>', 'rate them')
        .option('--pick', 'the rows that refer to this one use this file')
        .option('--note <text>', 'note something; an empty text removes the note')
        .option('--clear', 'take back all that was said; rejected files come back'),
    load: async () => (await import('./commands/review/review.ts')).reviewCommand,
  },
  {
    usage: 'rejected <batch>',
    description: 'list the rejected files of a batch, and what they take up',
    options: (command) => command.option('--delete', 'delete them for good; nothing brings them back'),
    load: async () => (await import('./commands/review/rejected.ts')).rejectedCommand,
  },
  {
    usage: 'update <batch> [sheet]',
    description: 're-import a batch’s sheet; renders only new and changed rows',
    options: (command) =>
      withKeyOptions(command)
        .option('--dry-run', 'only show what changed and what it would cost')
        .option('--remove', 'remove rows that are no longer in the sheet; their files stay')
        .option('--with-dependents', 'also render rows again that refer to a changed row'),
    load: async () => (await import('./commands/update.ts')).updateCommand,
  },
  {
    usage: 'results <batch>',
    description: 'write the results as columns into a copy beside the sheet',
    options: (command) =>
      command
        .option('--out <file>', 'write to this file instead; replaces it, and keeps what is not Nocturne’s as .bak')
        .option('--into-original', 'write to the sheet itself; keeps a backup as .bak'),
    load: async () => (await import('./commands/write-out.ts')).resultsCommand,
  },
  {
    usage: 'gates <batch>',
    description: 'show what gates would flag among the files of a batch; changes nothing',
    options: withGateOptions,
    load: async () => (await import('./commands/review/gates.ts')).gatesCommand,
  },
  {
    usage: 'status [batch]',
    description: 'show the batches and their progress',
    load: async () => (await import('./commands/status.ts')).statusCommand,
  },
  {
    usage: 'ledger [batch]',
    description: 'say what became of a batch or a night, and what to do; the last night by default',
    options: (command) =>
      command
        .option('--night <id>', 'the night with this number')
        .option('--since <date>', 'everything since this day, such as 2026-11-21')
        .option('--markdown', 'print it as a note in Markdown')
        .option('--html <file>', 'write it as one page; replaces only a page of its own')
        .option('--csv <file>', 'write every paid request on a line; replaces only a file of its own'),
    load: async () => (await import('./commands/ledger.ts')).ledgerCommand,
  },
  {
    usage: 'evidence <batch>',
    description: 'show what is known about paid requests with an unknown outcome: when, what was sent, what came back',
    options: (command) =>
      command
        .option('--row <id>', 'this row, whatever its status; may be given several times', collect)
        .option('--out <file>', 'write everything to this file, byte for byte, as JSON'),
    load: async () => (await import('./commands/evidence.ts')).evidenceCommand,
  },
  {
    usage: 'notify <file>',
    description: 'send a test by each way in a --notify file, and show what came of it',
    load: async () => (await import('./commands/notify.ts')).notifyCommand,
  },
  {
    usage: 'backup [file]',
    description: 'copy the store, its lists and the settings to one file, even during a night; no key is in it',
    options: (command) => command.option('--out <file>', 'file to write; must not exist yet'),
    load: async () => (await import('./commands/support/backup.ts')).backupCommand,
  },
  {
    usage: 'restore <file>',
    description: 'replace the store with a backup; the old store is kept beside it; starts nothing',
    load: async () => (await import('./commands/support/backup.ts')).restoreCommand,
  },
  {
    usage: 'move',
    description:
      'move the store to a server, from a server or to another folder: it is copied, compared and then used only there',
    options: (command) =>
      command
        .requiredOption('--from <store>', 'where it is: a data folder, or postgres://USER@HOST/DATABASE')
        .requiredOption('--to <store>', 'where it goes: the same, without a store in it'),
    load: async () => (await import('./commands/support/backup.ts')).moveCommand,
  },
  {
    usage: 'diagnostics',
    description:
      'print what somebody who helps you needs: versions, counts, log; no prompt, no key; read it before you send it',
    options: (command) => command.option('--out <file>', 'write it to this file; must not exist yet'),
    load: async (version) => {
      const { diagnosticsCommand } = await import('./commands/support/diagnostics.ts');
      return (console: Console, options: DiagnosticsOptions) => diagnosticsCommand(console, version, options);
    },
  },
  {
    usage: 'export <batch>',
    description: 'write a batch’s whole media folder somewhere else; with any other option, deliver its files',
    options: withDeliveryOptions,
    load: async () => (await import('./commands/deliver.ts')).exportCommand,
  },
  {
    usage: 'serve',
    description:
      'answer other programs on this machine over HTTP: the same commands, with a token, an OpenAPI document and events',
    options: (command) =>
      withDoorOptions(command)
        .option('--port <n>', 'port to listen on, 7447 by default; 0 takes a free one')
        .option('--token-file <file>', 'file that holds the token; by default one that is made in the store folder')
        .option('--allow-origin <origin>', 'origin that requests may name; none by default; can be repeated', collect),
    load: async () => (await import('./commands/doors/serve.ts')).serveCommand,
  },
  {
    usage: 'mcp',
    description: 'answer an assistant over the Model Context Protocol, on standard input and output',
    options: withDoorOptions,
    load: async (version) => {
      const { mcpCommand } = await import('./commands/doors/mcp.ts');
      return (_console: Console, options: DoorOptions) => mcpCommand(version, options);
    },
  },
  {
    usage: 'licences [package]',
    description: 'list the software by others in the program, with its licences; or show one licence',
    options: (command) => command.alias('licenses'),
    load: async () => (await import('./commands/licences.ts')).licencesCommand,
  },
  {
    usage: 'verify <dir>',
    description: 'check every file of a media folder against its manifest',
    load: async () => (await import('./commands/write-out.ts')).verifyCommand,
  },
  {
    usage: 'profile check <file>',
    description: 'check whether a profile can be used',
    load: async () => (await import('./commands/profile.ts')).profileCheckCommand,
  },
  {
    usage: 'profile show',
    description: 'show the whole profile, with every default filled in',
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
    usage: 'profile test',
    description:
      'ask the gateway about a task that does not exist: whether it answers and takes the key; costs nothing',
    options: (command) =>
      withOneKeyOptions(command)
        .option('--profile <file>', 'profile of the gateway')
        .option('--base-url <url>', 'address of the gateway, in place of the profile’s'),
    load: async () => (await import('./commands/profile-test.ts')).profileTestCommand,
  },
  {
    usage: 'profile probe',
    description:
      'try whether your gateway charges only once for requests with the same key: sends a paid request twice',
    options: (command) =>
      withOneKeyOptions(command)
        .requiredOption('--out <dir>', 'folder for what it renders')
        .option('--profile <file>', 'profile of the gateway')
        .option('--base-url <url>', 'address of the gateway, in place of the profile’s')
        .option('--operation <name>', 'operation of the request; lyrics by default')
        .option('--prompt <text>', 'its prompt')
        .option('--yes', 'send it; without this, only its price is shown'),
    load: async () => (await import('./commands/profile-probe.ts')).profileProbeCommand,
  },
  {
    usage: 'profile seen',
    description:
      'show what was seen of your gateways: statuses, answers, limits, times; and what a profile could say because of it',
    load: async () => (await import('./commands/profile.ts')).profileSeenCommand,
  },
];

function withRows(command: Command): Command {
  return command.requiredOption('--row <id>', 'the row; may be given several times', collect);
}

function withDeliveryOptions(command: Command): Command {
  return command
    .requiredOption('--out <dir>', 'folder to write to; created if missing. With --zip, the file')
    .option('--kept', 'deliver only files that you kept')
    .option(
      '--template <template>',
      'folders and names, such as "{operation}/{row}-{slug}"; those of the media folder by default',
    )
    .option('--tags', 'write title, lyrics, cover, prompt, model and origin into the copies')
    .option('--xmp', 'write them into a file beside each copy: FILE.xmp')
    .option('--timeline <format>', 'write a timeline for editing programs; the format is otio')
    .option('--zip', 'deliver into a ZIP, which must not exist yet');
}

/** Adds the options for what programs that come through a door may do. */
function withDoorOptions(command: Command): Command {
  return withAccountOptions(withKeyOptions(command))
    .option('--max-requests <n>', 'cap: the most paid requests in a night; without a cap, nothing is paid for')
    .option('--max-cost <amount>', 'cap: the most money in a night, such as "12.50 EUR"')
    .option('--rehearse', 'render on the built-in gateway; nothing is paid')
    .option('--profile <file>', 'profile of the gateway')
    .option('--base-url <url>', 'address of the gateway, in place of the profile’s')
    .option('--out <dir>', 'folder in which each new batch gets its media folder')
    .option('--sheets <dir>', 'folder of sheets that may be read, and new ones written; can be repeated', collect)
    .option('--notify <file>', 'tell me when a batch ends or needs me, by the ways in this file');
}
