import { createStore, type StoreApi } from 'zustand/vanilla';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import type { RouteInput } from '../../shared/ipc/contract.ts';

/** What is asked before a batch is started, as the user has answered so far. */
export interface StartAnswers {
  readonly name: string;
  readonly wantsRehearsal: boolean;
  /** The folder that was chosen; undefined for the one that is made without asking. */
  readonly folder: { readonly folderId: string; readonly path: string } | undefined;
  /** As it was typed. */
  readonly limitText: string;
}

/** The answers as a batch is made with them. */
export type StartChoice = Pick<RouteInput<'batch.create'>, 'name' | 'rehearsal' | 'folderId' | 'maxSubmits'>;

/**
 * What was typed about starting each opened sheet and each batch, by its id. It is kept here, not on the screen: whatever
 * is pressed, and wherever the user goes meanwhile, nothing of it is lost.
 */
export class StartForms {
  readonly store: StoreApi<Readonly<Record<string, StartAnswers>>> = createStore(() => ({}));

  /** Changes some answers; the others stay as they were, or as they are in `beginning` where nothing was said before. */
  change(id: string, beginning: StartAnswers, change: Partial<StartAnswers>): void {
    const before = this.store.getState()[id] ?? beginning;
    this.store.setState({ [id]: { ...before, ...change } });
  }

  /** Forgets the answers about a sheet or a batch: it was started, or left. */
  forget(id: string): void {
    const { [id]: _, ...others } = this.store.getState();
    this.store.setState(others, true);
  }
}

/**
 * What a batch is made with.
 * @param lacksGateway The real gateway cannot be used: it is a rehearsal, whatever was wanted.
 * @returns What has to be corrected first, in words.
 */
export function startChoice(answers: StartAnswers, lacksGateway: boolean): Result<StartChoice, string> {
  const { folder, limitText, wantsRehearsal } = answers;
  const name = answers.name.trim();
  if (name === '') return err('Give the batch a name first.');
  const limit = readRequestLimit(limitText);
  if (!limit.ok) return err(`Correct the request limit first. ${limit.error}`);
  return ok({
    name,
    rehearsal: wantsRehearsal || lacksGateway,
    ...(folder === undefined ? {} : { folderId: folder.folderId }),
    ...(limit.value === undefined ? {} : { maxSubmits: limit.value }),
  });
}

const HIGHEST_LIMIT = 1_000_000;

/** Groups of three digits with the same separator between them: a point elsewhere is the point of a fraction. */
const IN_THOUSANDS = /^[1-9]\d{0,2}([\s.,'’_])\d{3}(?:\1\d{3})*$/u;

/** Reads the request limit that somebody typed, also with separators of thousands; empty means that there is none. */
export function readRequestLimit(text: string): Result<number | undefined, string> {
  const typed = text.trim();
  if (typed === '') return ok(undefined);
  const digits = IN_THOUSANDS.test(typed) ? typed.replace(/\D/g, '') : typed;
  const number = /^\d{1,9}$/.test(digits) ? Number(digits) : 0;
  if (number >= 1 && number <= HIGHEST_LIMIT) return ok(number);
  return err('Enter a whole number from 1 to 1,000,000, or leave it empty.');
}
