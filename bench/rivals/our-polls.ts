import { nextPollDelayMs } from '../../src/shared/domain/gateway/poll-schedule.ts';
import { operationOf } from '../../src/shared/domain/operations/operations.ts';
import type { ContenderInput, Figures } from '../contender.ts';
import { numberIn, textIn } from '../support/input.ts';
import { LAWS, simulatePolls } from '../support/poll-simulation.ts';

const OPERATION = operationOf('musicgen/music/generate');

/** Our schedule at a gateway of a law, in simulated time. Input: `law`, `atOnce`. */
export function pollByOurs(input: ContenderInput): Promise<Figures> {
  const law = LAWS[textIn(input, 'law') as keyof typeof LAWS];
  const outcome = simulatePolls(law, numberIn(input, 'atOnce'), (moment) =>
    nextPollDelayMs({ operation: OPERATION, setbacks: 0, ...moment }),
  );
  return Promise.resolve({ ...outcome });
}
