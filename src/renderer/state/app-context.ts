import { createContext, use, useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { BatchView } from '../../shared/ipc/batches.ts';
import type { IpcError, RefusedField, Reply, RouteInput, RouteName, RouteOutput } from '../../shared/ipc/contract.ts';
import { shownText } from '../format/shown-text.ts';
import type { RouteArguments } from '../ipc-client.ts';
import type { AppModel } from './app-model.ts';
import type { AppState } from './app-state.ts';
import type { RowsViewState } from './batch/rows-view.ts';
import type { SheetEditingState } from './batch/sheet-editing.ts';
import type { SheetPlacesState } from './batch/sheet-places.ts';
import type { TypedFields } from './profile-draft.ts';

const AppModelContext = createContext<AppModel | undefined>(undefined);

/** Provides the model to everything below it. */
export const AppModelProvider = AppModelContext.Provider;

/** The model of this window. */
export function useAppModel(): AppModel {
  const model = use(AppModelContext);
  if (model === undefined) throw new Error('No model was provided.');
  return model;
}

export function useApp<T>(select: (state: AppState) => T): T {
  return useStore(useAppModel().app, select);
}

export function useRows<T>(select: (state: RowsViewState) => T): T {
  return useStore(useAppModel().rows.store, select);
}

export function useEditing<T>(select: (state: SheetEditingState) => T): T {
  return useStore(useAppModel().editing.store, select);
}

export function usePlaces<T>(select: (state: SheetPlacesState) => T): T {
  return useStore(useAppModel().places.store, select);
}

export function useBatches(): readonly BatchView[] {
  return useStore(useAppModel().batches.store, (state) => state.batches);
}

/** A batch's view; undefined if there is no such batch. */
export function useBatch(batchId: string): BatchView | undefined {
  return useStore(useAppModel().batches.store, (state) => state.batches.find(({ id }) => id === batchId));
}

/**
 * The answer to a question about what is on screen; `version` asks again. Undefined until there is one, or if it fails.
 */
export function useAnswer<R extends RouteName>(
  route: R,
  input: RouteInput<R>,
  version?: number | string,
): RouteOutput<R> | undefined {
  return useCurrentAnswer(route, input, version).answer;
}

/** The same, and whether it answers the current question: until the new answer is there, the previous one stays. */
export function useCurrentAnswer<R extends RouteName>(
  route: R,
  input: RouteInput<R>,
  version?: number | string,
): { readonly answer: RouteOutput<R> | undefined; readonly isCurrent: boolean } {
  const { client } = useAppModel();
  const [given, setGiven] = useState<{ readonly to: string; readonly answer: RouteOutput<R> | undefined }>();
  const asked = JSON.stringify({ input, version });
  useEffect(() => {
    let isCurrent = true;
    const { input: wanted } = JSON.parse(asked) as { readonly input: RouteInput<R> };
    void client.request(route, ...([wanted] as RouteArguments<R>)).then((reply) => {
      if (isCurrent) setGiven({ to: asked, answer: reply.ok ? reply.value : undefined });
    });
    return () => {
      isCurrent = false;
    };
  }, [client, route, asked]);
  return { answer: given?.answer, isCurrent: given?.to === asked };
}

/** What was refused about a field of a form, or about none of its fields. */
export interface Refused {
  readonly at: (field: RefusedField) => string | undefined;
  readonly besides: (...fields: readonly RefusedField[]) => string | undefined;
}

/** A refusal as the parts of a form show it. */
export function refusedAtFields(error: Pick<IpcError, 'message' | 'field'> | undefined): Refused {
  const text = error && shownText(error.message);
  return {
    at: (field) => (error?.field === field ? text : undefined),
    besides: (...fields) => (fields.some((field) => field === error?.field) ? undefined : text),
  };
}

/** Asks from a dialog, which itself shows what is refused, until it asks again: a notice would be behind it. */
export function useAsking() {
  const { client } = useAppModel();
  const [error, setError] = useState<IpcError>();
  const ask = async <R extends RouteName>(route: R, ...input: RouteArguments<R>): Promise<Reply<RouteOutput<R>>> => {
    setError(undefined);
    const reply = await client.request(route, ...input);
    if (!reply.ok) setError(reply.error);
    return reply;
  };
  return { ask, refused: refusedAtFields(error) };
}

/**
 * What was typed into a form and is not saved yet, what to call with what else is, and with what has been saved: what was
 * typed since stays. It outlives the screen, and unless it is secret also the page.
 */
export function useTyped(
  form: string,
  kind: 'texts' | 'secrets' = 'texts',
): readonly [TypedFields, (change: TypedFields) => void, (sent: TypedFields) => void] {
  const store = useAppModel().profileDrafts.forms[kind];
  const typed = useStore(store, (forms) => forms[form] ?? NOTHING_TYPED);
  const type = (change: TypedFields): void => store.setState((forms) => ({ [form]: { ...forms[form], ...change } }));
  const saved = (sent: TypedFields): void => {
    const now = Object.entries(store.getState()[form] ?? {});
    store.setState({ [form]: Object.fromEntries(now.filter(([field, text]) => text !== sent[field])) });
  };
  return [typed, type, saved];
}

const NOTHING_TYPED: TypedFields = {};

/** The time, updated at every interval, for texts such as "in 12 s". */
export function useNow(intervalMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return now;
}

/**
 * Keeps in the window's storage how the user likes something; it stays so for this session if that cannot be kept.
 * @param storage By default, the one that outlives the window.
 */
export function keepInWindow(name: string, text: string, storage: Pick<Storage, 'setItem'> = localStorage): void {
  try {
    storage.setItem(name, text);
  } catch {
    // The storage is full, or its disk is: nothing that is at stake in the window is worth its failing.
  }
}
