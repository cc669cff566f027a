/** Answers what main asks about a batch's file: bringing it in again, watching it, writing results. Runs in the engine's process. */
import type { EngineHandlers } from './engine-service.ts';
import { refuse } from './reply.ts';

/** The requests that are answered here. */
export type LivingSheetRequestName = 'sheet.compare' | 'sheet.apply' | 'sheet.watch' | 'results.write';

const NOT_YET = () => refuse('unavailable', 'This is not there yet.');

export function livingSheetHandlers(): Pick<EngineHandlers, LivingSheetRequestName> {
  return {
    'sheet.compare': NOT_YET,
    'sheet.apply': NOT_YET,
    'sheet.watch': NOT_YET,
    'results.write': NOT_YET,
  };
}
