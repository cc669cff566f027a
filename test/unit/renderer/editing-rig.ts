/** A window on a sheet that is edited. */
import { expect } from 'vitest';
import { gridColumns } from '../../../src/renderer/batch/columns/grid-columns.ts';
import { GridChoice } from '../../../src/renderer/batch/keys/grid-choice.ts';
import { cursorActions } from '../../../src/renderer/batch/keys/use-grid-actions.ts';
import { AppModel } from '../../../src/renderer/state/app-model.ts';
import type { Bridge, EventName, Reply, RouteName } from '../../../src/shared/ipc/contract.ts';
import { makeBatch } from './make-view.ts';
import { ManualSchedule, settle } from './manual-schedule.ts';
import { ScriptedSheet } from './scripted-sheet.ts';

export const BATCH = 'batch-1';

/** A window on a batch whose sheet is edited; the sheet tells of its edits as the application does. */
export async function setUp(options: { readonly rows?: number } = {}) {
  const sheet = new ScriptedSheet(['row', 'prompt', 'title', 'note'], options.rows ?? 12);
  const asked: { readonly route: RouteName; readonly input: unknown }[] = [];
  let hold: Promise<void> | undefined;
  let holdPage: Promise<void> | undefined;
  let holdReply: Promise<void> | undefined;
  let refusal: string | undefined;
  let sequence = 0;
  let tell: (event: EventName, payload: unknown) => void = () => undefined;
  const answer = (route: RouteName, input: unknown): Reply<unknown> => {
    if (refusal !== undefined && route === 'sheet.edit') {
      return { ok: false, error: { code: 'refused', message: refusal } };
    }
    return { ok: true, value: route === 'batch.list' ? [makeBatch()] : sheet.answer(route, input) };
  };
  const bridge: Bridge = {
    request: async (route, input) => {
      asked.push({ route, input });
      if (route.startsWith('sheet.') && route !== 'sheet.get') await hold;
      if (route === 'rows.page') await holdPage;
      if (!['sheet.edit', 'sheet.paste', 'sheet.undo', 'sheet.redo'].includes(route)) return answer(route, input);
      let reply: Reply<unknown> | undefined;
      const changed = sheet.changedBy(() => {
        reply = answer(route, input);
      });
      sequence += 1;
      tell('sheet.changed', { sequence: 100 + sequence, batchId: BATCH, sheet: sheet.view(BATCH), ...changed });
      await holdReply;
      return reply ?? expect.unreachable();
    },
    subscribe: (listener) => {
      tell = listener;
      return () => undefined;
    },
  };
  const model = new AppModel({ bridge, schedule: new ManualSchedule().schedule });
  model.start();
  model.go({ kind: 'batch', batchId: BATCH });
  await settle();
  // Settings are of no interest here, and are not answered.
  model.notices.clear();
  const shown = (index: number, header: string): string | undefined => {
    const row = model.rows.pages.rowAt(index);
    return row && model.editing.textOf(row, header, model.editing.cellIndex(header));
  };
  const rows = (y: number, height = 1) => model.editing.keysIn({ y, height });
  return {
    sheet,
    model,
    rows,
    editing: model.editing,
    asked,
    shown,
    /** Keeps answers back until the returned function is called. */
    holdAnswers: () => {
      let release: () => void = () => undefined;
      hold = new Promise((resolve) => {
        release = resolve;
      });
      return () => {
        hold = undefined;
        release();
      };
    },
    /** The same for pages of rows. */
    holdPages: () => {
      let release: () => void = () => undefined;
      holdPage = new Promise((resolve) => {
        release = resolve;
      });
      return () => {
        holdPage = undefined;
        release();
      };
    },
    /** The same for answers to edits that are done, and were told. */
    holdReplies: () => {
      let release: () => void = () => undefined;
      holdReply = new Promise((resolve) => {
        release = resolve;
      });
      return () => {
        holdReply = undefined;
        release();
      };
    },
    refuse: (message: string) => {
      refusal = message;
    },
    notices: () =>
      model.notices.store
        .getState()
        .notices.map(({ title, message }) => `${title} ${message}`.trim())
        .toReversed(),
  };
}

/** Types texts into new rows at the cursor, each ended with Enter, in a grid that was drawn before any of them. */
export function typist(model: AppModel) {
  const choice = new GridChoice({
    shown: () => model.editing.typed.shown,
    onCursor: (key) => model.rows.select(key),
    onMoved: () => undefined,
  });
  model.rows.onDraw(({ kind }) => (kind === 'all' ? choice.follow() : undefined));
  const { sheet } = model.editing.store.getState();
  const columns = gridColumns(
    sheet?.columns ?? [],
    { widths: {}, hidden: [], hiddenResults: [] },
    { state: 'ready', rehearsal: false },
  );
  const total = model.rows.pages.total ?? 0;
  const grid = { columns, choice, total, places: total + 1, current: undefined };
  const { step } = cursorActions(model, {
    ...grid,
    select: (selection) => choice.select(selection),
    editor: { current: null },
    tabRun: { current: undefined },
  });
  const type = (text: string, index = choice.selection.current?.cell[1] ?? expect.unreachable()): void => {
    const place = model.editing.typed.placeOfNewRow(index);
    void model.editing.typed.commit(index, undefined, 'prompt', text);
    step('line', place);
  };
  return { choice, type };
}

/** A view by status that a row with the key 7 comes into; the window is not told of it yet. */
export async function viewOfDone() {
  const window = await setUp();
  const isDone = (status: unknown, key: number): boolean => status === undefined || key === 3;
  window.sheet.shows = ({ filter }, key) => isDone(filter.status, key);
  window.model.rows.setFilter({ status: ['done'] });
  await settle();
  const entered: ScriptedSheet['shows'] = ({ filter }, key) => isDone(filter.status, key) || key === 7;
  return { ...window, entered };
}
