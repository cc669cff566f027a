/** Answers what main asks about bringing sheets in and starting from nothing. Runs in the engine's process. */
import type { EngineHandlers } from './engine-service.ts';
import { refuse } from './reply.ts';

/** The requests that are answered here. */
export type BringInRequestName =
  | 'sheet.interpret'
  | 'sheet.openTable'
  | 'batch.new'
  | 'batch.configure'
  | 'lists.get'
  | 'lists.set'
  | 'lists.remove';

const NOT_YET = () => refuse('unavailable', 'This is not there yet.');

export function bringInHandlers(): Pick<EngineHandlers, BringInRequestName> {
  return {
    'sheet.interpret': NOT_YET,
    'sheet.openTable': NOT_YET,
    'batch.new': NOT_YET,
    'batch.configure': NOT_YET,
    'lists.get': NOT_YET,
    'lists.set': NOT_YET,
    'lists.remove': NOT_YET,
  };
}
