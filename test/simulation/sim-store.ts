import { StoreWriteError, storeProblem } from '../../src/engine/store/open/store-problem.ts';
import type { OpenStore } from '../../src/engine/store/open/store-on.ts';
import {
  answeringParts,
  isReaders,
  isStream,
  type PartName,
  type Parts,
} from '../../src/engine/store/thread/promised.ts';
import type { CommitOutcome, TaskChange } from '../../src/engine/ports/task-change.ts';
import type { Agenda } from './agenda.ts';

/** What the store answers, in its own thread. */
export type AnswerPart = (part: PartName, method: string, args: readonly unknown[]) => unknown;

interface Question {
  readonly part: PartName;
  readonly method: string;
  readonly args: readonly unknown[];
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

const WRITES: ReadonlySet<string> = new Set([
  'createBatch',
  'removeBatch',
  'setBatchState',
  'makeDue',
  'updateBatchSettings',
  'setTurn',
  'commit',
  'change',
  'spreadPositions',
  'noteParts',
  'replaceParts',
  'clearParts',
]);

export interface SimStoreOptions {
  readonly agenda: Agenda;
  /** How long the next trip to a thread or back takes. */
  readonly wayMs: () => number;
  /** The disk refuses what is written now. */
  readonly isFull: () => boolean;
  /** Changes answers to questions, for a store that lies. */
  readonly twist: (answer: AnswerPart) => AnswerPart;
}

/**
 * A thread of the store: it carries out questions in order, and its answers come in the same order, each some time
 * later. Commits that wait together are one transaction.
 */
class StoreThread {
  readonly #name: string;
  readonly #options: SimStoreOptions;
  readonly #answer: AnswerPart;
  readonly #asked: Question[] = [];
  readonly #answers: (() => void)[] = [];
  #isBusy = false;

  constructor(name: string, options: SimStoreOptions, answer: AnswerPart) {
    this.#name = name;
    this.#options = options;
    this.#answer = answer;
  }

  ask(part: PartName, method: string, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ part, method, args, resolve, reject });
      this.#goOn();
    });
  }

  #goOn(): void {
    const [first] = this.#asked;
    if (this.#isBusy || first === undefined) return;
    this.#isBusy = true;
    const { agenda, wayMs } = this.#options;
    agenda.add(wayMs(), 'process', `${this.#name}: ${first.method}`, () => {
      this.#isBusy = false;
      this.#carryOut();
      this.#goOn();
    });
  }

  #carryOut(): void {
    const first = this.#asked.shift();
    if (first === undefined) return;
    if (first.method !== 'commit') {
      this.#settle([first], () => [this.#write(first, first.args)]);
      return;
    }
    const end = this.#asked.findIndex(({ method }) => method !== 'commit');
    const together = [first, ...this.#asked.splice(0, end < 0 ? this.#asked.length : end)];
    this.#commitTogether(together);
  }

  #commitTogether(together: readonly Question[]): void {
    const [first] = together;
    if (first === undefined) return;
    const groups = together.map(({ args }) => args[0] as readonly TaskChange[]);
    this.#settle(together, () => {
      const outcomes = this.#write(first, [groups.flat()]) as readonly CommitOutcome[];
      let at = 0;
      return groups.map(({ length }) => outcomes.slice(at, (at += length)));
    });
  }

  #write({ part, method }: Question, args: readonly unknown[]): unknown {
    if (WRITES.has(method) && this.#options.isFull()) {
      throw new StoreWriteError(storeProblem('full', 'The simulated disk is full.'), undefined);
    }
    return this.#answer(part, method, args);
  }

  #settle(questions: readonly Question[], work: () => readonly unknown[]): void {
    let settle: () => void;
    try {
      const values = work();
      settle = () => questions.forEach(({ resolve }, i) => resolve(values[i]));
    } catch (error) {
      settle = () => questions.forEach(({ reject }) => reject(error));
    }
    this.#answers.push(settle);
    const { agenda, wayMs } = this.#options;
    const label = `${this.#name} answers: ${questions[0]?.method}`;
    // Whichever comes first hands over the oldest.
    agenda.add(wayMs(), 'process', label, () => this.#answers.shift()?.());
  }
}

/** The parts of a store whose threads answer when the agenda says so. */
export function simStore(opened: OpenStore, options: SimStoreOptions): Parts {
  const parts = answeringParts(opened);
  const answer = options.twist((part, method, args) => {
    const value = (parts[part] as unknown as Record<string, (...all: readonly unknown[]) => unknown>)[method]?.(
      ...args,
    );
    return isStream(part, method) ? [...(value as Iterable<unknown>)] : value;
  });
  const owner = new StoreThread('store', options, answer);
  const reader = new StoreThread('reader', options, answer);
  const ask = (part: PartName, method: string, args: readonly unknown[]): Promise<unknown> =>
    (isReaders(part, method) ? reader : owner).ask(part, method, args);
  const partOf = <Name extends PartName>(part: Name): Parts[Name] =>
    Object.fromEntries(
      Object.keys(parts[part]).map((method) => [
        method,
        isStream(part, method)
          ? async function* (...args: readonly unknown[]) {
              yield* (await ask(part, method, args)) as readonly unknown[];
            }
          : (...args: readonly unknown[]) => ask(part, method, args),
      ]),
    ) as unknown as Parts[Name];
  return {
    store: partOf('store'),
    sheets: partOf('sheets'),
    views: partOf('views'),
    ledger: partOf('ledger'),
    leases: partOf('leases'),
    whole: partOf('whole'),
  };
}
