/** Answers what main asks about the sheets of batches: editing, the living sheet, results, lists. Runs in the engine's process. */
import { refuse } from './reply.ts';
import type { EngineHandlers } from './engine-service.ts';

/** The requests that are answered here. */
export type SheetRequestName =
  | 'sheet.interpret'
  | 'sheet.openTable'
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
  | 'sheet.compare'
  | 'sheet.apply'
  | 'sheet.watch'
  | 'results.write'
  | 'batch.release'
  | 'batch.new'
  | 'batch.configure'
  | 'lists.get'
  | 'lists.set'
  | 'lists.remove';

const NOT_YET = () => refuse('unavailable', 'This is not there yet.');

export function sheetHandlers(): Pick<EngineHandlers, SheetRequestName> {
  return {
    'sheet.interpret': NOT_YET,
    'sheet.openTable': NOT_YET,
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
    'sheet.compare': NOT_YET,
    'sheet.apply': NOT_YET,
    'sheet.watch': NOT_YET,
    'results.write': NOT_YET,
    'batch.release': NOT_YET,
    'batch.new': NOT_YET,
    'batch.configure': NOT_YET,
    'lists.get': NOT_YET,
    'lists.set': NOT_YET,
    'lists.remove': NOT_YET,
  };
}
