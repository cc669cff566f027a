import { nextPollDelayMs } from '../../src/shared/domain/gateway/poll-schedule.ts';
import { QueueFront } from '../../src/shared/domain/gateway/queue-front.ts';
import { operationOf } from '../../src/shared/domain/operations/operations.ts';
import type { ContenderInput, Figures } from '../contender.ts';
import { numberIn, textIn } from '../support/input.ts';
import {
  EachByItself,
  inOrder,
  LAWS,
  simulate,
  warmUpOf,
  type Look,
  type PollMoment,
  type Poller,
} from '../support/poll-simulation.ts';
import type { Answer, Words } from '../support/simulated-gateway.ts';

const OPERATION = operationOf('musicgen/music/generate');

/** Our schedule as a night uses it: each task when it is due, and earlier if the front of the queue names it. */
export class OurPolls implements Poller {
  readonly #front = new QueueFront();
  readonly #each: EachByItself;

  constructor() {
    this.#each = new EachByItself((moment, id) => this.#delayMs(moment, id));
  }

  accepted(id: number, now: number): void {
    this.#front.accepted(id, now, now, now);
    this.#each.accepted(id, now);
  }

  answered(id: number, now: number, answer: Answer): void {
    this.#front.answered(id, answer === 'unmapped' ? 'unfinished' : answer, now);
    if (answer === 'ended') this.#front.forget(id, now);
    this.#each.answered(id, now, answer);
  }

  next(now: number): Look {
    const due = this.#each.next();
    const look = this.#front.next(now);
    return look !== undefined && look.at < due.at ? look : due;
  }

  #delayMs(moment: PollMoment, id: number): number {
    if (this.#front.decides(id)) return this.#front.longestMs;
    return nextPollDelayMs({ operation: OPERATION, setbacks: 0, ...moment });
  }
}

/** Our schedule at a gateway with a given law, in simulated time. Input: `law`, `atOnce`, `words`. */
export function pollByOurs(input: ContenderInput): Promise<Figures> {
  const law = LAWS[textIn(input, 'law') as keyof typeof LAWS];
  const atOnce = numberIn(input, 'atOnce');
  const words = textIn(input, 'words') as Words;
  const outcome = simulate({ ...inOrder(law, atOnce), words }, new OurPolls(), { warmUp: warmUpOf(atOnce) });
  return Promise.resolve({ ...outcome });
}
