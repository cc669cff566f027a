/**
 * Known bugs of time and order, put back on purpose. Simulated nights that do not find every one of them prove nothing
 * about the sound engine.
 */
import { MUTANTS } from '../crash/mutants.ts';
import type { ModulePatch } from '../support/patch-modules.ts';

export interface SimulatedMutant {
  readonly name: string;
  readonly patches: readonly ModulePatch[];
}

/**
 * The mutants of the proof by kill that concern what is simulated. Files, their syncs and those of the disk are not.
 */
const OF_KILLS: ReadonlySet<string> = new Set([
  'claim committed after the POST',
  'resend at start-up',
  'interrupted submit called failed',
  'unblocks before the source is done',
  'submits the unresolved text',
  'forgets after a kill what waits for a row',
  'automatic retry of a lost POST',
]);

/**
 * Bugs that the engine once had, as far as they could still be put back. These no longer can:
 * - A suspected failure past its deadline was asked about 3,000 times a minute, because three places each had their own
 *   idea of that deadline. Only `nextAction` has one now; what is left of the bug is asking again at once.
 * - An older state of a task replaced a newer one: the store answers in the order in which it is asked, commits and
 *   questions alike, so no answer is older than an earlier one. The scheduler still compares revisions, in case a store
 *   does not keep that order.
 */
const HAD_ONCE: readonly SimulatedMutant[] = [
  {
    name: 'an edit hits the row above the one that it names',
    patches: [
      {
        module: 'edit/rows-of-edit.ts',
        find: 'const keys = eachOnce(rows);\n    const count',
        replace: 'const keys = eachOnce(rows).map((key) => Math.max(1, key - 1));\n    const count',
      },
    ],
  },
  {
    name: 'a suspected failure is asked about again at once',
    patches: [
      {
        module: 'night/poll-step.ts',
        find: 'return Math.min(Math.max(sinceMs * SUSPICION_PART, SUSPICION_POLL_MS), SUSPICION_POLL_MAX_MS);',
        replace: 'return sinceMs * 0;',
      },
    ],
  },
  {
    name: 'settings changed while a batch runs are stored and not obeyed',
    patches: [
      {
        module: 'night/batches/night-batch.ts',
        find: 'this.#record = { ...this.#record, settings };\n    // Before its start',
        replace: '// Before its start',
      },
    ],
  },
  {
    name: 'a duration is learned from a rendering that nobody watched',
    patches: [
      {
        module: 'night/poll-step.ts',
        find: 'const late = isUnwatched ? ({ late: true } as const) : {};',
        replace: 'const late = isUnwatched ? {} : {};',
      },
    ],
  },
  {
    name: 'one task code belongs to two tasks',
    patches: [
      {
        module: 'store/open/migrations.ts',
        find: 'CREATE UNIQUE INDEX tasks_by_code ON',
        replace: 'CREATE INDEX tasks_by_code ON',
      },
      {
        module: 'store/tasks/commit-changes.ts',
        find: 'if (isNewCode && parts.taskRecords.idByCode(record.id, taskCode, next.account) !== undefined)',
        replace: 'if (isNewCode && parts === undefined)',
      },
    ],
  },
  {
    name: 'batches of one account with different profiles do not share its limits',
    patches: [
      {
        module: 'night/lanes.ts',
        find: 'const name = laneName(this.gatewayOf(access).origin, keyFingerprint(access));',
        replace: 'const name = `${JSON.stringify(access.profile)} ${keyFingerprint(access)}`;',
      },
    ],
  },
  {
    name: 'a listener that throws undoes a commit for whoever waits for it',
    patches: [
      {
        module: 'night/scheduler.ts',
        find: '      others();\n    } catch (error) {\n',
        replace: '      others();\n    } catch (error) {\n      if (error !== undefined) throw error;\n',
      },
      {
        module: 'night/task-journal.ts',
        find: 'onLeaseLost?.(under);\n      } catch (error) {\n',
        replace: 'onLeaseLost?.(under);\n      } catch (error) {\n        if (error !== undefined) throw error;\n',
      },
    ],
  },
  {
    name: 'a paid file is given up after one bad answer',
    patches: [
      {
        module: 'night/fetch-step.ts',
        find: 'if (output.tries + 1 >= MAX_DOWNLOAD_TRIES) return true;',
        replace: "if (outcome.kind === 'unverifiable' || output.tries + 1 >= MAX_DOWNLOAD_TRIES) return true;",
      },
    ],
  },
  {
    name: 'a start that waited overrides a later pause',
    patches: [
      {
        module: 'night/scheduler.ts',
        find: 'if (this.pausesOf(batchId) !== pauses) return;',
        replace: '',
      },
    ],
  },
  {
    name: 'a pause of the user is dropped while the disk holds the batch',
    patches: [
      {
        module: 'night/batches/night-batches.ts',
        find: "if (record.state !== 'running' && (!isDiskPause(record) || record.pause?.disk !== undefined)) {",
        replace: "if (record.state !== 'running') {",
      },
    ],
  },
  {
    name: 'the last key is given again where it is removed at the beginning of a process',
    patches: [
      {
        module: 'store/sheets/sheet-writer.ts',
        find: 'freshKeys.tasks.learn();',
        replace: '',
      },
    ],
  },
  {
    name: 'a pause that the disk refused is not written again',
    patches: [
      {
        module: 'night/batches/night-batches.ts',
        find: 'batch.storeAgainFrom = clock.monotonic() + STORE_RETRY_MS;',
        replace: 'batch.storeAgainFrom = Math.max(batch.storeAgainFrom, clock.monotonic() + STORE_RETRY_MS);',
      },
    ],
  },
  {
    name: 'what other batches have left at the gateway takes no places',
    patches: [
      {
        module: 'night/batches/night-batches.ts',
        find: '(batchId, account) => !this.#batches.has(batchId) && this.#lanes.laneOf(account) === lane,',
        replace: '(batchId, account) => this.#lanes.laneOf(account) === undefined && batchId === undefined,',
      },
    ],
  },
];

/** Bugs that nobody has made here yet. */
const OTHERS: readonly SimulatedMutant[] = [
  {
    name: 'places are counted without those that were given in the same turn',
    patches: [
      {
        module: 'night/submits/choose-submits.ts',
        find: 'this.#night.batches.atGateway(lane, family) - given;',
        replace: 'this.#night.batches.atGateway(lane, family) - given * 0;',
      },
    ],
  },
  {
    name: 'submits take nothing from the budget of requests',
    patches: [
      {
        module: 'night/submits/choose-submits.ts',
        find: ' || !lane.budget.tryTake(night.clock.monotonic())) return false;',
        replace: ') return false;',
      },
    ],
  },
  {
    name: 'a pause does not wait for intents that are being committed',
    patches: [
      {
        module: 'night/scheduler.ts',
        find: 'await this.untilDone(Promise.all([paused, this.#submitting]));',
        replace: 'await this.untilDone(Promise.all([paused]));',
      },
    ],
  },
  {
    name: 'what the user said meanwhile is not asked before an intent is committed',
    patches: [
      {
        module: 'night/task-journal.ts',
        find: 'if (isWanted?.() === false) return undefined;',
        replace: '',
      },
    ],
  },
  {
    name: 'a cap counts what was used when the batch was first looked at',
    patches: [
      {
        module: 'night/spending/caps.ts',
        find: 'return new Caps(night, await night.store.spending(night.clock.now(), ids));',
        replace: `
    const fresh = await night.store.spending(night.clock.now(), ids);
    night.first ??= new Map();
    for (const [id, { spent }] of fresh.batches) if (!night.first.has(id)) night.first.set(id, spent);
    const batches = [...fresh.batches].map(([id, one]) => [id, { ...one, spent: night.first.get(id) }]);
    return new Caps(night, { ...fresh, batches: new Map(batches) });`,
      },
    ],
  },
  {
    name: 'what is chosen in a tick takes no room of a limit',
    patches: [
      {
        module: 'night/spending/caps.ts',
        find: 'this.#chosen.push({ batch, account, operation, price, charges });',
        replace: '',
      },
    ],
  },
  {
    name: 'a request counts against a limit once it is answered',
    patches: [
      {
        module: 'store/tasks/kept-charges.ts',
        find: "const MAY_BE_CHARGED = `coalesce(attempts.outcome, '')",
        replace: 'const MAY_BE_CHARGED = `attempts.outcome',
      },
    ],
  },
  {
    name: 'commits do not wait for each other',
    patches: [
      {
        module: 'night/task-journal.ts',
        find: 'const done = this.#turn.then(work);',
        replace: 'const done = work();',
      },
    ],
  },
  {
    name: 'a clock that is set back is followed',
    patches: [
      {
        module: 'night/clock/steady-clock.ts',
        find: 'this.#lastNow = wall < steady - FOLLOWED_BACK_MS ? Math.round(steady) : wall;',
        replace: 'this.#lastNow = wall;',
      },
    ],
  },
  {
    name: 'a task that changed while it was asked about is not due again',
    patches: [
      {
        module: 'night/flights.ts',
        find: 'if (newest !== undefined) this.#heap.set(newest.id, newest.dueAt);',
        replace: '',
      },
    ],
  },
  {
    name: 'what became queued again is not looked for',
    patches: [
      {
        module: 'night/task-news.ts',
        find: 'batches.work.outdate(task.batchId, isQueueLonger);',
        replace: 'if (!isQueueLonger) batches.work.outdate(task.batchId, false);',
      },
    ],
  },
  {
    name: 'the end of a night does not wait for answers that were paid for',
    patches: [
      {
        module: 'night/night-end.ts',
        find: 'while (work.size > 0 && clock.monotonic() < endBy) {',
        replace: 'while (work.size > 1e9 && clock.monotonic() < endBy) {',
      },
    ],
  },
  {
    name: 'commits that the disk refused are forgotten',
    patches: [
      {
        module: 'night/task-journal.ts',
        find: '      this.#waiting.unshift(...group);\n      this.#refusal = { error };',
        replace: '      this.#refusal = { error };',
      },
    ],
  },
  {
    name: 'the deadline holds at once after a leap of the clock',
    patches: [
      {
        module: 'night/flights.ts',
        find: 'return isAskedFirst ? Number.POSITIVE_INFINITY : ms;',
        replace: 'return isAskedFirst ? ms : ms;',
      },
    ],
  },
  {
    name: 'a batch that two take up at once is taken up twice',
    patches: [
      {
        module: 'night/batches/joining.ts',
        find: 'const attaching = this.#attaching.get(batchId) ?? untilDone(this.#attach(batchId));',
        replace: 'const attaching = untilDone(this.#attach(batchId));',
      },
    ],
  },
  {
    name: 'a batch on its way into the night is not waited for',
    patches: [
      {
        module: 'night/batches/joining.ts',
        find: 'await this.#attaching.get(batchId)?.catch(() => undefined);',
        replace: '',
      },
    ],
  },
  {
    name: 'changes of settings do not wait for each other',
    patches: [
      {
        module: 'night/batches/settings-changes.ts',
        find: 'const configured = this.#configuring.then(() => this.#configure(batchId, change, name));',
        replace: 'const configured = this.#configure(batchId, change, name);',
      },
    ],
  },
  {
    name: 'a batch ends although a commit is under way',
    patches: [
      {
        module: 'night/batches/batch-rest.ts',
        find: 'const left = journal.isCommitting ? undefined : work.ifFresh(batchId, clock.now());',
        replace: 'const left = journal === undefined ? undefined : work.ifFresh(batchId, clock.now());',
      },
    ],
  },
  {
    name: 'a batch ends although rows are about to be freed',
    patches: [
      {
        module: 'night/batches/night-batches.ts',
        find: 'const isAtRest = !isBehind && this.rest.isIdle(id);',
        replace: 'const isAtRest = this.rest.isIdle(id);',
      },
    ],
  },
  {
    name: 'a pause of the user holds back what is rendering, too',
    patches: [
      {
        module: 'night/batches/batch-pause.ts',
        find: "?.meanwhile ?? 'all';",
        replace: "?.meanwhile ?? 'nothing';",
      },
    ],
  },
  {
    name: 'a disk that is well again ends every pause',
    patches: [
      {
        module: 'night/batches/night-batches.ts',
        find: 'if (pause?.disk === undefined) return this.start(batch, { still: stops }, false);',
        replace: 'if (pause !== undefined) return this.start(batch, { still: stops }, false);',
      },
    ],
  },
  {
    name: 'a gateway that asks for a wait is asked all the same',
    patches: [
      {
        module: 'night/lanes.ts',
        find: 'this.#holdUntil = Math.max(this.#holdUntil, now + delay);',
        replace: 'this.#holdUntil = Math.max(this.#holdUntil, now + delay * 0);',
      },
    ],
  },
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
    name: 'a paid request leaves with a key that has replaced the one of its intent',
    patches: [
      {
        module: 'night/submits/send-submits.ts',
        find: 'night.keyFingerprint(account.account) === keyFingerprint ? chosen : KEY_REPLACED;',
        replace: 'chosen;',
      },
    ],
  },
  {
    name: 'what a rejected key kept from being asked about is overdue',
    patches: [
      {
        module: 'night/flights.ts',
        find: 'account.unaskedAt = this.#clock.monotonic();',
        replace: '',
      },
    ],
  },
  {
    name: 'what is refused behind another pause is asked again at once',
    patches: [
      {
        module: 'night/poll-step.ts',
        find: 'const dueAt = follows || !mayPoll ? now : now + REFUSED_POLL_MS;',
        replace: 'const dueAt = now;',
      },
    ],
  },
  {
    name: 'a paid request waits for two rights',
    patches: [
      {
        module: 'night/submits/choose-submits.ts',
        find: 'lane.budget.available(night.clock.monotonic()),',
        replace: 'lane.budget.available(night.clock.monotonic()) - 1,',
      },
    ],
  },
  {
    name: 'windows: one belongs to the day on which it ends',
    patches: [
      {
        module: 'night/batches/batch-gate.ts',
        find: 'const gate = gateAt(schedule, now);',
        replace: `const names = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
    const before = (day) => names[(names.indexOf(day) + 6) % 7];
    const windows = schedule?.windows.map((one) => (one.to > one.from ? one : { ...one, days: one.days.map(before) }));
    const gate = gateAt(schedule && { ...schedule, windows }, now);`,
      },
    ],
  },
  {
    name: 'a row goes on with the first take, where the user is to pick one',
    patches: [
      {
        module: 'night/row-source.ts',
        find: "return { kind: 'coming', awaitsPick: true };",
        replace: '{}',
      },
    ],
  },
  {
    name: 'a pick that is taken back is gone on with',
    patches: [
      {
        module: 'night/row-source.ts',
        find: 'if (picked !== undefined) {',
        replace: `const former = (globalThis.formerPicks ??= new WeakMap());
  if (!former.has(store)) former.set(store, new Map());
  if (picked !== undefined) former.get(store).set(rowId, picked);
  const last = former.get(store).get(rowId);
  if (picked === undefined && last !== undefined && tasks.some(({ id, status }) => id === last.take.id && status === 'done'))
    return { kind: 'done', task: last.take, picked: last.output.index, basis };
  if (picked !== undefined) {`,
      },
    ],
  },
  {
    name: 'the rest of a kind goes with its first',
    patches: [
      {
        module: 'store/tasks/canary-queue.ts',
        find: "if (standing === 'fresh') found.push(...firstOf(kind, 1));",
        replace: "if (standing === 'fresh') found.push(...firstOf(kind, limit));",
      },
    ],
  },
  {
    name: 'the first of a kind is forgotten while it is under way',
    patches: [
      {
        module: 'store/tasks/canary-queue.ts',
        find: 'if (known !== undefined) return known;',
        replace: '',
      },
    ],
  },
  {
    name: 'a flagged take is rendered again once too often',
    patches: [
      {
        module: 'night/gates/gate-watch.ts',
        find: 'if (ending.aborted || !isToMakeAgain(task, timesAgain(batch.record, task))) return;',
        replace: 'if (ending.aborted || !isToMakeAgain(task, timesAgain(batch.record, task) * 2)) return;',
      },
      {
        module: 'store/tasks/task-plans.ts',
        find: '!isToMakeAgain(flagged, timesAgain(record, flagged))',
        replace: '!isToMakeAgain(flagged, timesAgain(record, flagged) * 2)',
      },
    ],
  },
  {
    name: 'a task counts where the first account of its batch is',
    patches: [
      {
        module: 'night/scheduler.ts',
        find: '(task) => this.#batches.all.get(task.batchId)?.accountOf(task).lane',
        replace: '(task) => this.#batches.all.get(task.batchId)?.accounts[0].lane',
      },
    ],
  },
  {
    name: 'what is said of the turn of rows overtakes what was said before',
    patches: [
      {
        module: 'commands/take-decisions.ts',
        find: 'await this.#rowTurns.take(async () => {',
        replace: 'await (async (work) => work())(async () => {',
      },
    ],
  },
  {
    name: 'a request of a held row is sent again under its key',
    patches: [
      {
        module: 'night/charges/ask-again.ts',
        find: 'return ask && !isHeld && mayPay(night, batch) && night.isAwake();',
        replace: 'return ask && mayPay(night, batch) && night.isAwake();',
      },
      {
        module: 'night/charges/ask-again.ts',
        find: 'night.active.get(task.id)?.onHold !== true &&',
        replace: '',
      },
    ],
  },
  {
    name: 'a row stays with the account of a take that is no longer picked',
    patches: [
      {
        module: 'night/submits/prepare-body.ts',
        find: 'if (to === undefined || !mayFollow(task, to)) return unresolved(elsewhere);',
        replace: 'return unresolved(elsewhere);',
      },
    ],
  },
];

/** Bugs with rows that are rendered again, and with edits that the user ends. */
const OF_EDITS: readonly SimulatedMutant[] = [
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
];

/** Bugs with rows that get other ids, and with copies of rows. */
const OF_NAMES: readonly SimulatedMutant[] = [
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

/** Bugs with whole batches: their order, those that are put away, and what is said about their files. */
const OF_BATCHES: readonly SimulatedMutant[] = [
  {
    name: 'a batch passes one whose folder is being checked',
    patches: [
      {
        module: 'night/submit-step.ts',
        find: 'maySubmit(night, batch) && !waitsForTurn(night, batch);',
        replace: 'maySubmit(night, batch);',
      },
    ],
  },
  {
    name: 'batches that were moved up take turns with the others',
    patches: [
      {
        module: 'night/batches/turns.ts',
        find: 'return a.priority === b.priority ? a.lastTurn < b.lastTurn : a.priority > b.priority;',
        replace: 'return a.lastTurn < b.lastTurn;',
      },
    ],
  },
  {
    name: 'equal batches take no turns',
    patches: [
      {
        module: 'night/batches/turns.ts',
        find: 'return a.priority === b.priority ? a.lastTurn < b.lastTurn : a.priority > b.priority;',
        replace: 'return a.priority > b.priority;',
      },
    ],
  },
  {
    name: 'a batch that is to go first joins the one that does',
    patches: [
      {
        module: 'commands/batch-config.ts',
        find: 'const among = { others: others.map(priorityOf), running };',
        replace: 'const among = { others: [], running };',
      },
    ],
  },
  {
    name: 'a batch that runs is deleted',
    patches: [
      {
        module: 'night/batches/shelf.ts',
        find: 'const facts = { state: now.state,',
        replace: "const facts = { state: 'paused' as const,",
      },
    ],
  },
  {
    name: 'a batch is deleted although something of it is at the gateway',
    patches: [
      {
        module: 'night/batches/shelf.ts',
        find: 'whyNot = is ===',
        replace: 'for (const status of TASK_STATUSES) takes[status] = 0;\n    whyNot = is ===',
      },
    ],
  },
  {
    name: 'what is deleted is gone an hour later',
    patches: [
      {
        module: 'night/batches/shelf.ts',
        find: '(removableFrom(settings.shelf) ?? Infinity) <= now',
        replace: 'settings.shelf.at + 3_600_000 <= now',
      },
      {
        module: 'store/sheets/remove-batch.ts',
        find: 'if (from === undefined || from > now || record.state',
        replace: 'if (from === undefined || record.state',
      },
    ],
  },
  {
    name: 'what a removed batch has paid is forgotten',
    patches: [
      {
        module: 'store/sheets/remove-batch.ts',
        find: "'UPDATE attempts SET body = ?, answer = NULL,",
        replace: "'UPDATE attempts SET body = ?, price = NULL, answer = NULL,",
      },
    ],
  },
  {
    name: 'a file that is rejected stays where it is',
    patches: [
      {
        module: 'review/tidy-files.ts',
        find: 'if (to === undefined || file === undefined) return;',
        replace: "if (to?.startsWith('rejected/') !== false || file === undefined) return;",
      },
    ],
  },
  {
    name: 'a picked file that is rejected stays picked',
    patches: [
      {
        module: 'review/file-review.ts',
        find: '...(isUnpicked && { pickedAt: null }),',
        replace: '...(picked === false && { pickedAt: null }),',
      },
    ],
  },
  {
    name: 'a batch that was deleted is there again after a restart',
    patches: [
      {
        module: 'night/batches/shelf.ts',
        find: "if (settings.shelf?.is !== 'deleted') continue;",
        replace: "if (settings.shelf?.is !== 'deleted') continue;\n    await configure(id, withoutShelf);",
      },
    ],
  },
];

export const SIMULATED_MUTANTS: readonly SimulatedMutant[] = [
  ...MUTANTS.filter(({ name }) => OF_KILLS.has(name)),
  ...HAD_ONCE,
  ...OTHERS,
  ...OF_EDITS,
  ...OF_NAMES,
  ...OF_BATCHES,
];
