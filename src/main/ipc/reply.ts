import type { IpcError, Reply } from '../../shared/ipc/contract.ts';

/** An answer that says no, with a title and what to do. */
export function refuse(code: IpcError['code'], message: string): { readonly ok: false; readonly error: IpcError } {
  return { ok: false, error: { code, message } };
}

/** The answer to what only a bug can cause: the details go to the log, not to the window. */
export const INTERNAL_REPLY: Reply<never> = refuse(
  'internal',
  'Something went wrong inside Nocturne. Try again; if it happens again, please report it with the log.',
);
