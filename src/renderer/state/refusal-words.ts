import type { IpcError, RouteName } from '../../shared/ipc/contract.ts';

const TITLES: Readonly<Record<IpcError['code'], string>> = {
  'invalid-input': 'Not understood',
  forbidden: 'Not allowed',
  'not-found': 'No longer there',
  refused: 'That did not work',
  unavailable: 'The engine does not answer',
  internal: 'A bug in Nocturne',
};

/** What did not happen, where a refusal's own words may not say it. */
const FAILED: Partial<Record<RouteName, string>> = {
  'batch.create': 'The sheet was not imported',
  'batch.configure': 'The batch was not changed',
  'batch.start': 'The batch was not started',
  'batch.resume': 'The batch was not resumed',
  'batch.retry': 'Nothing was retried',
  'batch.release': 'Nothing was started',
  'batch.settle': 'The rows were not resolved',
  'sheet.edit': 'The sheet was not changed',
  'sheet.paste': 'Nothing was pasted',
  'sheet.compare': 'The file was not compared',
  'sheet.apply': 'The changes were not applied',
  'sheet.reread': 'The file was not read again',
  'results.write': 'The results were not written',
  'evidence.export': 'The evidence was not exported',
  'store.backup': 'The store was not backed up',
};

/** What to say where the application could not do what it was asked for. */
export function noticeOf(
  error: IpcError,
  route?: RouteName,
): { readonly level: 'error'; readonly title: string; readonly message: string } {
  const failed = error.code === 'refused' && route !== undefined ? FAILED[route] : undefined;
  const title = failed ?? TITLES[error.code];
  return { level: 'error', title, message: error.message };
}
