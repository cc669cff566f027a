/**
 * Loaded before the command line when a test runs it: the engine's time passes ten times faster than the machine's, so
 * that a night waits a quarter of a second, not 2.5, before it first asks for a task.
 */
import { fastClock } from './fast-clock.ts';
import { CLI_EPOCH, CLI_FOLDER, CLI_SPEED } from './built-cli.ts';

/** A poll that is given up after 30 s still has three real seconds on a busy machine. */
const SPEED = Number(process.env[CLI_SPEED] ?? 10);

const { systemClock } = (await import(new URL('parts/system-clock.js', CLI_FOLDER).href)) as { systemClock: object };
Object.assign(systemClock, fastClock(SPEED, Number(process.env[CLI_EPOCH])));
