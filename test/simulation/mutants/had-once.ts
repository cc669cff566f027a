import type { DeliberateFault } from '../../support/patch-modules.ts';

/**
 * Bugs that the engine once had, as far as they could still be put back. These no longer can:
 * - A suspected failure past its deadline was asked about 3,000 times a minute, because three places each had their own
 *   idea of that deadline. Only `nextAction` has one now; what is left of the bug is asking again at once.
 * - An older state of a task replaced a newer one: the store answers in the order in which it is asked, commits and
 *   questions alike, so no answer is older than an earlier one. The scheduler still compares revisions, in case a store
 *   does not keep that order.
 */
export const HAD_ONCE: readonly DeliberateFault[] = [
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
