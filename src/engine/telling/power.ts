/** Puts the computer to sleep or shuts it down, with the system's own commands. */
import { execFile } from 'node:child_process';
import { visibleLine } from '../../shared/domain/base/text.ts';
import type { PowerAction } from '../../shared/domain/telling/night-news.ts';
import { reason, type Reason } from '../../shared/domain/base/reason.ts';
import { environmentWithoutSecrets } from './run-command.ts';

/** A system program may wait for a password that nobody types. */
const LIMIT_MS = 20_000;
const SAID_CHARACTERS = 200;

type Command = readonly [program: string, ...args: string[]];

/** What is run on each system: the first that works. None needs administrator rights on a usual desktop. */
export function powerCommands(platform: NodeJS.Platform, action: PowerAction): readonly Command[] {
  switch (platform) {
    case 'darwin':
      return action === 'sleep'
        ? [['pmset', 'sleepnow']]
        : [['osascript', '-e', 'tell application "System Events" to shut down']];
    case 'win32':
      // A machine with hibernation enabled hibernates: Windows has only this command for both.
      return action === 'sleep'
        ? [['rundll32.exe', 'powrprof.dll,SetSuspendState', '0,1,0']]
        : [['shutdown.exe', '/s', '/t', '0']];
    default: {
      const verb = action === 'sleep' ? 'suspend' : 'poweroff';
      // Without systemd, elogind provides the second of them.
      return [
        ['systemctl', verb],
        ['loginctl', verb],
      ];
    }
  }
}

/** Asks the system to do it; resolves with why it was refused, or with undefined if the system does it. */
export async function askForPower(
  action: PowerAction,
  platform: NodeJS.Platform = process.platform,
): Promise<Reason | undefined> {
  const said: string[] = [];
  for (const command of powerCommands(platform, action)) {
    const problem = await run(command);
    if (problem === undefined) return undefined;
    said.push(`${command.slice(0, 2).join(' ')}: ${problem}`);
  }
  return reason(action === 'sleep' ? 'notAsleep' : 'notShutDown', said.join('; '));
}

function run([program, ...args]: Command): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: LIMIT_MS, windowsHide: true, env: environmentWithoutSecrets() };
    execFile(program, args, options, (error, _stdout, stderr) => {
      if (error === null) resolve(undefined);
      else if (error.code === 'ENOENT') resolve('not found');
      else if (error.killed === true) resolve(`no end within ${LIMIT_MS / 1000} s`);
      else resolve(visibleLine(stderr.trim() || error.message, SAID_CHARACTERS));
    });
  });
}
