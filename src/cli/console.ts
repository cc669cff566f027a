import { KeyFinder } from '../shared/domain/base/key-finder.ts';
import { visibleText } from '../shared/domain/base/text.ts';

/** Lines that redraw themselves. */
type LiveLines = ReturnType<typeof import('log-update').createLogUpdate>;

export interface ConsoleOptions {
  readonly json: boolean;
  readonly quiet: boolean;
}

/** The key that the environment gives, whether or not a command has a use for it; empty if there is none. */
export const KEY_OF_ENVIRONMENT = process.env['NOCTURNE_AI_KEY']?.trim() ?? '';
const inEnvironment = new KeyFinder([KEY_OF_ENVIRONMENT]);

/**
 * Writes text to a stream of the terminal; nothing else may. Text from a sheet, a gateway or a file name cannot steer
 * the terminal: control and bidirectional characters are written out, in JSON as its escapes. What was typed is
 * repeated, but not the key in it.
 */
export function print(stream: NodeJS.WritableStream, text: string): void {
  stream.write(visibleText(inEnvironment.hide(text)));
}

/**
 * Prints everything that a command says. For people: lines on standard output, problems on standard error. With
 * `--json`: one document, or one event per line, on standard output and nothing else there.
 */
export class Console {
  readonly json: boolean;
  readonly quiet: boolean;
  /** What is drawn now. */
  #live: LiveLines | undefined;
  #keyFinder: KeyFinder | undefined;

  constructor(options: ConsoleOptions) {
    this.json = options.json;
    this.quiet = options.quiet;
  }

  /** True when a bar that redraws itself is of use. */
  get isTerminal(): boolean {
    return process.stderr.isTTY && !this.json && !this.quiet;
  }

  /** Hides keys in everything printed from now on: the last of several safeguards. */
  hideKeys(finder: KeyFinder): void {
    this.#keyFinder = finder;
  }

  #clean(text: string): string {
    return this.#keyFinder?.hide(text) ?? text;
  }

  /** Prints a line for people; foreign text in it has passed `visibleLine` before, so that it cannot break the line. */
  line(text = ''): void {
    if (this.json || this.quiet) return;
    this.clearLive();
    print(process.stdout, `${this.#clean(text)}\n`);
  }

  /** Prints a problem for people: always, on standard error. */
  problem(text: string): void {
    this.clearLive();
    print(process.stderr, `${this.#clean(text)}\n`);
  }

  /** Prints the document of a command that answers at once. */
  document(value: unknown): void {
    if (this.json) print(process.stdout, `${this.#clean(JSON.stringify(value, undefined, 2))}\n`);
  }

  /** Prints one event of a long command. */
  event(event: string, value: Readonly<Record<string, unknown>> = {}): void {
    if (this.json) print(process.stdout, `${this.#clean(JSON.stringify({ event, ...value }))}\n`);
  }

  /** Redraws the lines at the bottom of the terminal, if it is one: {@link liveLines}. */
  live(text: string, lines: LiveLines): void {
    if (!this.isTerminal) return;
    this.#live = lines;
    lines(visibleText(this.#clean(text)));
  }

  /** Removes the redrawn lines. */
  clearLive(): void {
    this.#live?.clear();
    this.#live = undefined;
  }
}

/**
 * What redraws lines on this console; undefined where nothing does. It is only loaded for a terminal: its tables of
 * characters take a tenth of a short command's time.
 */
export async function liveLines(console: Console): Promise<LiveLines | undefined> {
  return console.isTerminal ? (await import('log-update')).createLogUpdate(process.stderr) : undefined;
}
