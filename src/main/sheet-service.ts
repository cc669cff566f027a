/** Answers what main asks about editing the sheets of batches. Runs in the engine's process. */
import type { EngineHandlers } from './engine-service.ts';
import { refuse } from './reply.ts';

/** The requests that are answered here. */
export type SheetRequestName =
  | 'sheet.get'
  | 'sheet.problems'
  | 'sheet.cell'
  | 'sheet.preview'
  | 'sheet.place'
  | 'sheet.find'
  | 'sheet.edit'
  | 'sheet.undo'
  | 'sheet.redo'
  | 'sheet.copy'
  | 'sheet.paste'
  | 'batch.release';

const NOT_YET = () => refuse('unavailable', 'This is not there yet.');

export function sheetHandlers(): Pick<EngineHandlers, SheetRequestName> {
  return {
    'sheet.get': NOT_YET,
    'sheet.problems': NOT_YET,
    'sheet.cell': NOT_YET,
    'sheet.preview': NOT_YET,
    'sheet.place': NOT_YET,
    'sheet.find': NOT_YET,
    'sheet.edit': NOT_YET,
    'sheet.undo': NOT_YET,
    'sheet.redo': NOT_YET,
    'sheet.copy': NOT_YET,
    'sheet.paste': NOT_YET,
    'batch.release': NOT_YET,
  };
}
