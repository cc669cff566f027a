/** Making a batch from a sheet, once for each key of a program. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { batchFolderName, plainNameText } from '../../../shared/domain/base/name-text.ts';
import { err, ok, present } from '../../../shared/domain/base/result.ts';
import { visibleLine } from '../../../shared/domain/base/text.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import { isSheetRefused, runnableRows, type CheckedSheet } from '../../../shared/domain/sheet/row.ts';
import { isCanaryUsual } from '../../../shared/domain/task/canary.ts';
import { runnable } from '../../commands/check.ts';
import { bringIn } from '../../commands/run.ts';
import { lookingAt, refusal } from '../door-answer.ts';
import { doorCommand } from '../door-command.ts';
import { digestsOf, fieldsThatDiffer, Receipts } from '../door-files.ts';
import { givenSheet, readGivenSheet } from '../given-sheet.ts';
import { whyNotHeld, withLowerLimits } from '../door-cap.ts';
import { givenName, maxCost, maxRequests, shown, shownBatch } from '../views.ts';
import { problemViews } from './sheet-commands.ts';

export const createBatch = doorCommand({
  name: 'create_batch',
  title: 'Make a batch',
  description:
    'Makes a batch of a sheet. Nothing is sent: start_batch starts it, or the user does in the window. Rows with errors are kept, and never run.',
  effect: 'changes',
  input: givenSheet.extend({
    name: givenName,
    maxRequests: maxRequests.describe('The most paid requests that it may make.'),
    maxCost: maxCost.describe('The most money that it may spend, by the prices of the profile.'),
    canary: z.boolean().optional().describe('One row of each kind goes first; above 20 rows by default.'),
    key: z
      .string()
      .min(8)
      .max(100)
      .optional()
      .describe(
        'A text of your own, of 8 characters at least: a second call with the same key and the same other fields gives the batch of the first.',
      ),
  }),
  output: shownBatch.extend({
    isNew: z.boolean(),
    problems: z.array(z.unknown()).describe('As check_sheet has them.'),
  }),
  run: async (host, { key, ...given }) => {
    const read = await readGivenSheet(host, given);
    if (!read.ok) return read;
    const { sheet } = read.value;
    if (isSheetRefused(sheet) || runnable(sheet).rows === 0) {
      const [first] = problemViews(sheet.problems);
      return refusal(
        'refused',
        `The sheet has no row that can run.${first === undefined ? '' : ` ${first.message}`}`,
        first?.remedy ?? 'See what is wrong with it: check_sheet.',
      );
    }
    if (host.options.out === undefined) {
      return refusal('refused', 'This door has no place for files.', 'The user starts it with --out DIR.');
    }
    const { out, cap } = host.options;
    const digests = digestsOf(given);
    return host.inTurn(() =>
      host.work(async (engine) => {
        const receipts = new Receipts(host.dataDir);
        const known = key === undefined ? undefined : receipts.find(key);
        const different = known === undefined ? [] : fieldsThatDiffer(known.given, digests);
        if (known !== undefined && different.length > 0) {
          const first = await engine.store.batch(known.batchId);
          const whose = first === undefined ? known.batchId : `${first.id} (${visibleLine(first.name, 60)})`;
          return refusal(
            'refused',
            `This key belongs to batch ${whose}, which was made with other values of: ${different.join(', ')}.`,
            'To get that batch, repeat its input as it was; for another batch, give another key.',
          );
        }
        const problems = problemViews(sheet.problems);
        if (known !== undefined) {
          const again = await shown(lookingAt(engine), known.batchId);
          if (again.ok) return ok({ ...again.value, isNew: false, problems });
        }
        const gateways = await host.gateways();
        const rehearsal = host.isRehearsing;
        const wanted = { folder: '', filename: '', profile: gateways.profile, rehearsal };
        const limited = withLowerLimits(
          wanted,
          { maxRequests: given.maxRequests, maxCost: given.maxCost },
          rehearsal ? undefined : cap,
        );
        if ('kind' in limited) return err(limited);
        const unheld = whyNotHeld(gateways, given.maxCost, operationsOf(sheet));
        if (unheld !== undefined) return err(unheld);
        const isTried = given.canary ?? isCanaryUsual(runnableRows(sheet).length, rehearsal);
        const batch = await bringIn(host.console, engine, {
          sheet,
          sheetSettings: read.value.settings,
          name: given.name,
          folder: freeFolder(out, given.name),
          ...gateways,
          canary: isTried,
          rehearsal,
          ...present({ sheetPath: read.value.sheetPath, maxSubmits: limited.maxSubmits, maxCost: limited.maxCost }),
        });
        if (key !== undefined) await receipts.keep(key, { given: digests, batchId: batch.id });
        const made = await shown(lookingAt(engine), batch.id);
        return made.ok ? ok({ ...made.value, isNew: true, problems }) : made;
      }),
    );
  },
});

function operationsOf(sheet: CheckedSheet): readonly OperationPath[] {
  return runnableRows(sheet).flatMap(({ operation }) => operation ?? []);
}

/** A folder of its own for each batch, named after it without what a system may not accept. */
function freeFolder(out: string, name: string): string {
  const plain = plainNameText(name).replaceAll(/[^\p{L}\p{M}\p{N} ._-]+/gu, '-');
  const base = path.join(out, batchFolderName(plain, 'batch'));
  let folder = base;
  for (let n = 2; existsSync(folder); n++) folder = `${base}-${n}`;
  return folder;
}
