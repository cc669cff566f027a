import type { Console } from '../console.ts';
import { count, pauseText, standingWords, statusCounts, summaryOf } from '../describe.ts';
import { EXIT, type ExitCode } from '../ending.ts';
import { namedBatch, withStore } from '../open-store.ts';
import type { CommonOptions } from '../options.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';

/** Shows one batch, or all of them. Only reads: it works beside the process that owns the store. */
export async function statusCommand(
  console: Console,
  named: string | undefined,
  options: CommonOptions,
): Promise<ExitCode> {
  return withStore(options, async ({ store, views }) => {
    const batches = named === undefined ? await store.batches() : [await namedBatch(store, named)];
    console.document(
      await Promise.all(
        batches.map(async (batch) => {
          const { tasks, rows, submitsUsed } = await summaryOf(views, batch.id);
          const { id, name, state, pause, createdAt, startedAt, finishedAt, settings, rowCount, taskCount } = batch;
          const times = { createdAt: iso(createdAt), startedAt: iso(startedAt), finishedAt: iso(finishedAt) };
          const { folder, rehearsal, maxSubmits } = settings;
          return {
            id,
            name,
            state,
            pause,
            ...times,
            folder,
            rehearsal,
            maxSubmits,
            rowCount,
            taskCount,
            tasks,
            rows,
            submitsUsed,
          };
        }),
      ),
    );
    if (batches.length === 0)
      console.line('There are no batches yet. Import a sheet with: nocturne run SHEET --out DIR');
    for (const batch of batches) {
      const summary = await summaryOf(views, batch.id);
      console.line(
        `${batch.id}  ${standingWords(batch, summary)}  ${visibleLine(batch.name, 60)}${batch.settings.rehearsal ? '  (rehearsal)' : ''}`,
      );
      console.line(
        `    ${statusCounts(summary)} · ${count(summary.submitsUsed, 'paid request')} → ${batch.settings.folder}`,
      );
      const pause = pauseText(batch);
      if (pause !== undefined) console.line(`    ${pause}`);
    }
    return Promise.resolve(EXIT.done);
  });
}

function iso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
