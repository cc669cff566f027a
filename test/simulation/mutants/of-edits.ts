import type { DeliberateFault } from '../../support/patch-modules.ts';

/** Bugs with edits and files that are read again: what they pay for, how they end, ids and copies of rows. */
export const OF_EDITS: readonly DeliberateFault[] = [
  {
    name: 'an edit is made although its rows have left the queue',
    patches: [
      {
        module: 'store/sheets/sheet-writer.ts',
        find: 'if (!change.rows.every((one) => rowChanges.isCurrent(batch.seq, one))) return undefined;',
        replace: '',
      },
    ],
  },
  {
    name: 'an edit of a batch that runs pays at once',
    patches: [
      {
        module: 'edit/plan-edit.ts',
        find: 'batchState: batch.state,',
        replace: "batchState: 'ready',",
      },
    ],
  },
  {
    name: 'a file that is read again pays at once',
    patches: [
      {
        module: 'edit/living/plan-difference.ts',
        find: 'batchState: batch.state, now };',
        replace: "batchState: 'ready' as const, now };",
      },
    ],
  },
  {
    name: 'a file that is read again pays for more than was shown',
    patches: [
      {
        module: 'edit/living/living-sheet.ts',
        find: 'if (unseen > 0) return',
        replace: 'if (unseen > 1e6) return',
      },
    ],
  },
  {
    name: 'a row that a file frees stays as it was',
    patches: [
      {
        module: 'edit/living/living-sheet.ts',
        find: 'isBlocked: hasError(stored)',
        replace: 'isBlocked: false',
      },
    ],
  },
  {
    name: 'rows that are gone from a file are removed unasked',
    patches: [
      {
        module: 'edit/living/plan-difference.ts',
        find: "if (context.removed === 'remove' && whyLocked",
        replace: 'if (whyLocked',
      },
    ],
  },
  {
    name: 'a file shows no paid request for a take that is to be rendered again',
    patches: [
      {
        module: 'edit/living/plan-difference.ts',
        find: 'return planTasks(before, after, stored?.tasks ?? [], options).tasks.add.length;',
        replace: `const isSame = JSON.stringify(before.row.body) === JSON.stringify(after.row.body);
      const made = new Set([...(isSame ? (stored?.tasks ?? []) : []), ...paid].map(({ take }) => take));
      const { add } = planTasks(before, after, [], { ...options, paid: [] }).tasks;
      return add.filter(({ take }) => !made.has(take)).length;`,
      },
    ],
  },
  {
    name: 'an undo of a later edit forgets that a row is to be rendered again',
    patches: [
      {
        module: 'edit/plan-edit.ts',
        find: 'const takes = [...lacking, ...waiting].map(({ take }) => take);',
        replace: 'const takes = waiting.map(({ take }) => take);',
      },
    ],
  },
  {
    name: 'an undo of a later edit forgets that a row waits to be rendered again',
    patches: [
      {
        module: 'edit/plan-edit.ts',
        find: 'const takes = [...lacking, ...waiting].map(({ take }) => take);',
        replace: 'const takes = lacking.map(({ take }) => take);',
      },
    ],
  },
  {
    name: 'what was paid for since a row was to be rendered again is to be paid for once more',
    patches: [
      {
        module: 'edit/plan-edit.ts',
        find: 'lacked: { takes, newest, ',
        replace: 'lacked: { takes, newest: Number.MAX_SAFE_INTEGER, ',
      },
    ],
  },
  {
    name: 'a redo lets wait what the user let run only after the edit',
    patches: [
      {
        module: 'edit/sheet-editor.ts',
        find: "way === 'undo' ? asRedone(inverse.edit) : inverse.edit",
        replace: 'inverse.edit',
      },
    ],
  },
  {
    name: 'what renders a row again can never be undone',
    patches: [
      {
        module: 'edit/plan-edit.ts',
        find: "return isAnew(edit.superseded) ? 'anew' : 'back';",
        replace: "return 'anew';",
      },
    ],
  },
  {
    name: 'an edit that the user has ended is carried out later where the disk refused to take it back',
    patches: [
      {
        module: 'edit/sheet-session.ts',
        find: 'if (isUnwanted()) {',
        replace: 'if (isUnwanted() && outcomes.length < 0) {',
      },
      {
        module: 'edit/sheet-session.ts',
        find: '    await this.#applyLeft();\n    this.#isWhole = true;\n    if (outcomes',
        replace: `    if (isUnwanted()) {
      const { rows: back, partEnds = [] } = joined(outcomes).inverse ?? { rows: [] };
      await this.#options.sheets.replaceParts(this.batchId, this.#texts(cutParts(back, partEnds), 0));
    }
    await this.#applyLeft();
    this.#isWhole = true;
    if (outcomes`,
      },
    ],
  },
  {
    name: 'nobody is told at the end of an edit that the user has ended, and the disk refused to take back',
    patches: [
      {
        module: 'engine.ts',
        find: 'return [...unsaved, ...this.editor.owedWaysBack()];',
        replace: 'return unsaved;',
      },
    ],
  },
  {
    name: 'of an edit that the user has ended the parts that are written stay',
    patches: [
      {
        module: 'edit/sheet-session.ts',
        find: 'const { rows, partEnds = [] } = this.#unwanted.inverse ?? { rows: [] };',
        replace: 'const [rows, partEnds] = [[], []];',
      },
    ],
  },
  {
    name: 'an edit of a batch that was started is taken back on its way',
    patches: [
      {
        module: 'edit/sheet-session.ts',
        find: 'const mayEnd = isReady && !givesIds(edit.rows, idHeader);',
        replace: 'const mayEnd = !givesIds(edit.rows, idHeader);',
      },
    ],
  },
  {
    name: 'a way back that the user has ended is forgotten',
    patches: [
      {
        module: 'edit/sheet-editor.ts',
        find: 'if (!isDone) history.put(way, step);',
        replace: 'if (!isDone && watch.signal?.aborted !== true) history.put(way, step);',
      },
    ],
  },
  {
    name: 'a row cannot keep what it had once its new request waits',
    patches: [
      {
        module: 'edit/plan-rows.ts',
        find: 'const tasks = takesToKeep(request, before.tasks, superseded)',
        replace: 'const tasks = takesToKeep(request, before.tasks, before.tasks.length > 0 ? [] : superseded)',
      },
    ],
  },
  {
    name: 'values are cleared in rows that use them, too',
    patches: [
      {
        module: 'edit/rows-of-unused.ts',
        find: 'if (!isUnused(row)) continue;',
        replace: "if (isBlank(cellText(row.cells, own)) || (row.operation ?? '') === '') continue;",
      },
    ],
  },
  {
    name: 'rows that refer to a row by its former id are not looked at',
    patches: [
      {
        module: 'edit/plan-rows.ts',
        find: 'for (const one of [id.id, ...(former === undefined ? [] : [former])])',
        replace: 'for (const one of [id.id])',
      },
    ],
  },
  {
    name: 'what was made of a row stays under its former id',
    patches: [
      {
        module: 'store/sheets/row-writer.ts',
        find: 'if (row.id !== head.row_id || position !== head.position)',
        replace: 'if (position !== head.position)',
      },
    ],
  },
  {
    name: 'a copy of a row in a batch that was started waits for no word',
    patches: [
      {
        module: 'edit/plan-edit.ts',
        find: 'batchState: batch.state,',
        replace: "batchState: before === undefined ? 'ready' : batch.state,",
      },
    ],
  },
];
