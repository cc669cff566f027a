import { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { readMoney, type Money } from '../../../shared/domain/base/money.ts';
import { freeName } from '../../../shared/domain/base/text.ts';
import { err, ok, present, type Result } from '../../../shared/domain/base/result.ts';
import { accountsChoice } from '../../../shared/ipc/accounts.ts';
import type { IpcError, RefusedField, RouteInput } from '../../../shared/ipc/contract.ts';
import type { Seen } from '../../../shared/ipc/route.ts';
import type { SheetBeginning, SheetView } from '../../../shared/ipc/opening.ts';
import { words } from '../../../shared/words/words.ts';
import { gateAnswers, readGates } from './gate-answers.ts';
import { readWhen, scheduleEntered, whenAnswers } from './when-answers.ts';

/** The user's answers so far to the questions before a batch starts. */
export const startAnswers = z.object({
  name: z.string(),
  wantsRehearsal: z.boolean(),
  /** The chosen folder; undefined for the default one. */
  folder: z.object({ folderId: z.string(), path: z.string() }).optional(),
  /** As typed. */
  limitText: z.string(),
  costText: z.string().exactOptional(),
  fuseText: z.string().exactOptional(),
  /** One row of each kind first; undefined for what is usual for this number of rows. */
  canary: z.boolean().exactOptional(),
  /** Rows that refer to others wait for the user's pick of those. */
  picks: z.boolean().exactOptional(),
  /** Absent: at once. */
  when: whenAnswers.exactOptional(),
  /** Absent: off. */
  gates: gateAnswers.exactOptional(),
  /** Undefined: the settings' gateway with its key. */
  accounts: accountsChoice.optional(),
});
export type StartAnswers = Seen<typeof startAnswers>;

/** An opened sheet, and where its rows will be rendered. */
export interface OpenSheet {
  /** Only its beginning while the rest of a large file is being read. */
  readonly sheet: SheetBeginning | SheetView;
  readonly isRehearsal: boolean;
  /** Its first rows were shown before the rest was there. */
  readonly hadBeginning: boolean;
  /** A row after the first ones raised the first question about its columns or cells. */
  readonly asksLate: boolean;
}

/** The answers for a sheet before the user has said anything. */
export function beginningOf({ sheet, isRehearsal }: OpenSheet, names: readonly string[]): StartAnswers {
  return {
    name: freeName(sheet.name.replace(/\.[a-z0-9]{1,5}$/iu, ''), names),
    wantsRehearsal: isRehearsal,
    folder: undefined,
    limitText: '',
  };
}

/** The answers in the form that makes a batch. */
export type StartChoice = Pick<
  RouteInput<'batch.create'>,
  | 'name'
  | 'rehearsal'
  | 'folderId'
  | 'maxSubmits'
  | 'maxCost'
  | 'fuse'
  | 'canary'
  | 'picks'
  | 'schedule'
  | 'gates'
  | 'accounts'
>;

/**
 * What the user typed about starting each opened sheet and each batch, by its id. It is kept here, not on the screen,
 * so that nothing is lost wherever the user goes meanwhile.
 */
export class StartForms {
  readonly store: StoreApi<Readonly<Record<string, StartAnswers>>> = createStore(() => ({}));
  /** What was last refused about them, until that answer is changed or they are tried again. */
  readonly refused: StoreApi<Readonly<Record<string, IpcError | undefined>>> = createStore(() => ({}));

  /** Changes some answers; the others stay as they were, or as in `beginning` if there were none. */
  change(id: string, beginning: StartAnswers, change: Partial<StartAnswers>): void {
    const before = this.store.getState()[id] ?? beginning;
    this.store.setState({ [id]: { ...before, ...change } });
    const field = this.refused.getState()[id]?.field;
    if (field !== undefined && ANSWERS_ABOUT[field].some((answer) => answer in change)) this.refuse(id, undefined);
  }

  /** Notes why a sheet or a batch was not started; undefined: it is tried again. */
  refuse(id: string, error: IpcError | undefined): void {
    this.refused.setState({ [id]: error });
  }

  /** Forgets the answers about a sheet or a batch that was started or left. */
  forget(id: string): void {
    const { [id]: _, ...others } = this.store.getState();
    this.store.setState(others, true);
    this.refuse(id, undefined);
  }
}

/** The fields of the form at which a refusal can be shown. */
export const START_FIELDS = ['folder', 'gateway', 'accounts'] as const satisfies readonly RefusedField[];

/** Which answers a refusal is about: it goes when one of them changes. */
const ANSWERS_ABOUT: Readonly<Record<RefusedField, readonly (keyof StartAnswers)[]>> = {
  name: ['name'],
  // A folder that is made for the batch takes its name.
  folder: ['folder', 'name'],
  gateway: ['wantsRehearsal', 'accounts'],
  accounts: ['accounts', 'wantsRehearsal'],
  key: ['accounts', 'wantsRehearsal'],
  place: [],
};

/** Where a batch can run, and in which currencies prices are known there. */
export interface StartPlace {
  /** The real gateway cannot be used: the batch is a rehearsal, whatever the user chose. */
  readonly lacksGateway: boolean;
  readonly currencies: readonly string[];
}

/**
 * The choices that make a batch.
 * @returns What the user must correct first, as a sentence.
 */
export function startChoice(
  answers: StartAnswers,
  { lacksGateway, currencies }: StartPlace,
  now = Date.now(),
): Result<StartChoice, string> {
  const { folder, limitText, costText = '', fuseText = '', wantsRehearsal, canary, picks } = answers;
  const name = answers.name.trim();
  const { correct } = words.costs;
  if (name === '') return err(correct.name);
  const limit = readRequestLimit(limitText);
  if (!limit.ok) return wrong(correct.requestLimit, limit.error);
  const cost = readCostLimit(costText);
  if (!cost.ok) return wrong(correct.spendingLimit, cost.error);
  const isRehearsal = wantsRehearsal || lacksGateway;
  const unheld = isRehearsal ? undefined : unheldWords(cost.value, currencies);
  if (unheld !== undefined) return wrong(correct.spendingLimit, unheld);
  const fuse = readFuse(fuseText);
  if (!fuse.ok) return wrong(correct.fuse, fuse.error);
  const schedule = answers.when === undefined ? ok(undefined) : readWhen(answers.when, now);
  if (!schedule.ok) return wrong(correct.when, schedule.error);
  const gates = answers.gates === undefined ? ok(undefined) : readGates(answers.gates);
  if (!gates.ok) return gates;
  return ok({
    name,
    rehearsal: isRehearsal,
    ...(folder === undefined ? {} : { folderId: folder.folderId }),
    ...present({ maxSubmits: limit.value, maxCost: cost.value, fuse: fuse.value }),
    ...present({ canary, picks }),
    ...(schedule.value === undefined ? {} : { schedule: schedule.value }),
    ...present({ gates: gates.value }),
    ...(isRehearsal ? {} : present({ accounts: answers.accounts })),
  });
}

/** The answers without those that cannot be understood yet: what `beginning` says takes their place. */
export function readableAnswers(
  answers: StartAnswers,
  beginning: StartAnswers,
  place: StartPlace,
  now = Date.now(),
): StartAnswers {
  const { wantsRehearsal, accounts } = answers;
  const base = { ...beginning, wantsRehearsal, accounts };
  const isReadable = (field: keyof StartAnswers): boolean =>
    startChoice({ ...base, [field]: answers[field] }, place, now).ok;
  const unreadable = (Object.keys(answers) as (keyof StartAnswers)[]).filter((field) => !isReadable(field));
  const readable = { ...answers };
  for (const field of unreadable) delete (readable as Partial<StartAnswers>)[field];
  return { ...base, ...readable };
}

/** Which answer to correct after an error of {@link startChoice}: its field says what is wrong with it. */
export function answerToCorrect(error: string): string {
  return /^[^.。]*[.。]/u.exec(error)?.[0] ?? '';
}

function wrong(answer: string, problem: string): Result<never, string> {
  return err(words.common.sentences([answer, problem]));
}

/** The answers that decide what the run will be, as far as they are given: the rest may still be typed. */
export function runOf(
  { folder, limitText, costText = '', wantsRehearsal, canary, when, gates, accounts }: StartAnswers,
  lacksGateway: boolean,
  now = Date.now(),
): Omit<RouteInput<'start.forecast'>, 'of'> {
  const limit = readRequestLimit(limitText);
  const cost = readCostLimit(costText);
  const schedule = when === undefined ? ok(undefined) : scheduleEntered(when, now);
  const chosen = gates === undefined ? ok(undefined) : readGates(gates);
  const rehearsal = wantsRehearsal || lacksGateway;
  return {
    rehearsal,
    ...(rehearsal ? {} : present({ accounts })),
    ...(folder === undefined ? {} : { folderId: folder.folderId }),
    ...(limit.ok && limit.value !== undefined ? { maxSubmits: limit.value } : {}),
    ...(cost.ok ? present({ maxCost: cost.value }) : {}),
    ...(schedule.ok ? present({ schedule: schedule.value }) : {}),
    ...(chosen.ok ? present({ gates: chosen.value }) : {}),
    ...(canary === undefined ? {} : { canary }),
  };
}

const HIGHEST_LIMIT = 1_000_000;

/** Groups of three digits with the same separator between them: any other point is a decimal point. */
const IN_THOUSANDS = /^[1-9]\d{0,2}([\s.,'’_])\d{3}(?:\1\d{3})*$/u;

/** Reads the request limit as typed, also with thousands separators; empty means no limit. */
export function readRequestLimit(text: string): Result<number | undefined, string> {
  const typed = text.trim();
  if (typed === '') return ok(undefined);
  const digits = IN_THOUSANDS.test(typed) ? typed.replace(/\D/g, '') : typed;
  const number = /^\d{1,9}$/.test(digits) ? Number(digits) : 0;
  if (number >= 1 && number <= HIGHEST_LIMIT) return ok(number);
  return err(words.costs.enterLimit);
}

/** Reads a spending limit as typed; empty means no limit. */
export function readCostLimit(text: string, currencies: readonly string[] = []): Result<Money | undefined, string> {
  return text.trim() === '' ? ok(undefined) : readMoney(text, currencies);
}

/**
 * Why a limit in money cannot be held with prices in these currencies, in a sentence; undefined if it can, or without
 * one.
 */
export function unheldWords(limit: Money | undefined, currencies: readonly string[]): string | undefined {
  if (limit === undefined || currencies.includes(limit.currency)) return undefined;
  return words.costs.unheld(limit.currency, currencies);
}

/**
 * An amount and its currency, which a field shows separately; until a currency is complete, all that is typed is the
 * amount.
 */
export function splitMoney(text: string): { readonly amount: string; readonly currency?: string } {
  const parts = /^(.*?)(?:\s+|(?<=\d))([a-z][a-z0-9_-]{2,19})\s*$/i.exec(text);
  const [, amount = '', currency = ''] = parts ?? [];
  return parts === null ? { amount: text } : { amount, currency: currency.toUpperCase() };
}

/** Reads the length of the fuse as typed; empty means the usual one. */
export function readFuse(text: string): Result<number | undefined, string> {
  const typed = text.trim();
  if (typed === '') return ok(undefined);
  return /^\d{1,3}$/.test(typed) ? ok(Number(typed)) : err(words.costs.enterFuse);
}
