/**
 * What `--then` does once the night is at rest: a minute's warning that Ctrl-C calls off, then the system's own
 * command.
 */
import { askForPower, systemClock } from '../engine/index.ts';
import { AFTER_NIGHT, WARNING_SECONDS, warningText, type AfterNight } from '../shared/domain/telling/night-news.ts';
import { liveLines, type Console } from './console.ts';
import { EXIT, type ExitCode, wrongUsage } from './ending.ts';
import { say } from '../shared/domain/base/reason.ts';

/** The choice of `--then`: by default the command just ends. Throws {@link CommandFailure}. */
export function afterNightOf(given: string | undefined): AfterNight {
  const found = given === undefined ? 'nothing' : AFTER_NIGHT.find((one) => one === given);
  if (found !== undefined) return found;
  throw wrongUsage(`--then ${given}: not known`, 'Give quit, sleep or shutdown.');
}

/**
 * Lets a night run to its end, by which the store is closed, and does what was chosen. An interruption calls that off,
 * and so does wrong usage, because nothing ran. What cannot be done is said; the exit code stays that of the night.
 */
export async function thenDo(console: Console, after: AfterNight, night: () => Promise<ExitCode>): Promise<ExitCode> {
  const exitCode = await night();
  const isNight = exitCode !== EXIT.interrupted && exitCode !== EXIT.usage && exitCode !== EXIT.bug;
  if (!isNight || after === 'nothing' || after === 'quit') return exitCode;
  if (!(await warn(console, after))) {
    console.event('afterNight', { action: after, done: false });
    console.problem('Called off. The computer stays on.');
    return exitCode;
  }
  const refused = await askForPower(after);
  const problem = refused && say(refused);
  console.event('afterNight', {
    action: after,
    done: problem === undefined,
    ...(problem === undefined ? {} : { problem }),
  });
  if (problem !== undefined) console.problem(problem);
  return exitCode;
}

/** Counts down, a line a second; false as soon as the user calls it off. */
async function warn(console: Console, action: Exclude<AfterNight, 'nothing'>): Promise<boolean> {
  const ending = new AbortController();
  const callOff = (): void => ending.abort();
  process.on('SIGINT', callOff);
  process.on('SIGTERM', callOff);
  try {
    const lines = await liveLines(console);
    console.event('warning', { action, seconds: WARNING_SECONDS });
    for (let seconds = WARNING_SECONDS; seconds > 0 && !ending.signal.aborted; seconds -= 1) {
      const text = `${warningText(action, seconds)} Press Ctrl-C to call it off.`;
      if (lines !== undefined) console.live(text, lines);
      else if (seconds === WARNING_SECONDS || seconds === 10) console.problem(text);
      await new Promise<void>((resolve) => {
        ending.signal.addEventListener('abort', () => resolve(), { once: true });
        systemClock.setTimer(1000, resolve);
      });
    }
  } finally {
    console.clearLive();
    process.off('SIGINT', callOff);
    process.off('SIGTERM', callOff);
  }
  return !ending.signal.aborted;
}
