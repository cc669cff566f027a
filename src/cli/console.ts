import { createLogUpdate } from 'log-update';
import type { KeyFinder } from '../shared/domain/base/key-finder.ts';
import { visibleText } from '../shared/domain/base/text.ts';

export interface ConsoleOptions {
  readonly json: boolean;
  readonly quiet: boolean;
}

/**
 * Writes a text to a stream of the terminal, the only way there. Whatever a sheet, a gateway or a file's name put into
 * it, a terminal is not steered by it: control and bidirectional characters are written out, in JSON as its escapes.
 */
export function print(stream: NodeJS.WritableStream, text: string): void {
  stream.write(visibleText(text));
}

/**
 * Everything that a command prints. For people: lines on standard output, problems on standard error. With `--json`:
 * one document, or one event a line, on standard output and nothing else there.
 */
export class Console {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly #live = createLogUpdate(process.stderr);
  #isLive = false;
  #keyFinder: KeyFinder | undefined;

  constructor(options: ConsoleOptions) {
    this.json = options.json;
    this.quiet = options.quiet;
  }

  /** True when a bar that redraws itself makes sense. */
  get isTerminal(): boolean {
    return process.stderr.isTTY && !this.json && !this.quiet;
  }

  /** Whatever is printed from now on, no key is: the last of several fences. */
  hideKeys(finder: KeyFinder): void {
    this.#keyFinder = finder;
  }

  #clean(text: string): string {
    return this.#keyFinder?.hide(text) ?? text;
  }

  /** A line for people; text from elsewhere that must not break it has passed `visibleLine` before. */
  line(text = ''): void {
    if (this.json || this.quiet) return;
    this.clearLive();
    print(process.stdout, `${this.#clean(text)}\n`);
  }

  /** A problem, for people: always shown, on standard error. */
  problem(text: string): void {
    this.clearLive();
    print(process.stderr, `${this.#clean(text)}\n`);
  }

  /** The document of a command that answers at once. */
  document(value: unknown): void {
    if (this.json) print(process.stdout, `${this.#clean(JSON.stringify(value, undefined, 2))}\n`);
  }

  /** One event of a command that takes long. */
  event(event: string, value: Readonly<Record<string, unknown>> = {}): void {
    if (this.json) print(process.stdout, `${this.#clean(JSON.stringify({ event, ...value }))}\n`);
  }

  /** Redraws the lines at the bottom of the terminal. */
  live(text: string): void {
    if (!this.isTerminal) return;
    this.#isLive = true;
    this.#live(visibleText(this.#clean(text)));
  }

  /** Takes the redrawn lines away. */
  clearLive(): void {
    if (!this.#isLive) return;
    this.#isLive = false;
    this.#live.clear();
  }
}
