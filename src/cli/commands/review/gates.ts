import { createFileMeasurer, previewGates, systemClock, type PreviewedFile } from '../../../engine/index.ts';
import { countOf, visibleLine } from '../../../shared/domain/base/text.ts';
import { flagInEnglish, uncheckedText } from '../../../shared/domain/gates/ask-gates.ts';
import { gatesText, USUAL_GATES } from '../../../shared/domain/gates/gate-settings.ts';
import { GATE_CODES, GATES, type GateCode } from '../../../shared/domain/gates/gates.ts';
import type { Console } from '../../console.ts';
import { EXIT, type ExitCode } from '../../ending.ts';
import { gatesOf } from '../../given.ts';
import { namedBatch, withStore } from '../../with-store.ts';
import type { CommonOptions, GateOptions } from '../../options/common-options.ts';

const SHOWN = 60;

/**
 * Says what gates would say about the files that a batch has: the gates in the options, or else its own, or else all.
 * Reads the store and the files, and changes nothing.
 */
export async function gatesCommand(
  console: Console,
  named: string,
  options: CommonOptions & GateOptions,
): Promise<ExitCode> {
  return withStore(options, async ({ store, views }) => {
    const batch = await namedBatch(store, named);
    const isGiven = options.gates !== undefined || options.gate !== undefined;
    const settings = gatesOf(options, undefined) ?? (isGiven ? { on: {} } : (batch.settings.gates ?? USUAL_GATES));
    const measurer = createFileMeasurer({ clock: systemClock });
    const { signal } = new AbortController();
    const looked = {
      folder: batch.settings.folder,
      rows: views.exportRows(batch.id),
      on: settings.on,
      measurer,
      signal,
    };
    console.line(`Batch ${batch.id} (${visibleLine(batch.name, SHOWN)}) · gates: ${gatesText(settings)}`);
    const files: PreviewedFile[] = [];
    for await (const file of previewGates(looked)) {
      files.push(file);
      for (const line of linesOf(file)) console.line(line);
    }
    for (const line of sumLines(files)) console.line(line);
    const inDocument = files.map(({ flags, ...file }) => ({ ...file, flags: flags.map(flagInEnglish) }));
    console.document({ batch: batch.id, gates: settings, files: inDocument });
    return EXIT.done;
  });
}

function linesOf({ row, take, path, flags }: PreviewedFile): readonly string[] {
  if (flags.length === 0) return [];
  const head = `row ${visibleLine(row, SHOWN)}, take ${take}: ${visibleLine(path, 200)}`;
  return [head, ...flags.map(({ gate, message }) => `    ${gate.padEnd(10)}  ${visibleLine(message, 400)}`)];
}

/** How many files each gate flags and what to do, and which gates could not look. */
function sumLines(files: readonly PreviewedFile[]): readonly string[] {
  const flaggedBy = (gate: GateCode): number =>
    files.filter(({ flags }) => flags.some((flag) => flag.gate === gate)).length;
  const flagged = files.filter(({ flags }) => flags.length > 0).length;
  const remedies = GATE_CODES.flatMap((gate) => {
    const count = flaggedBy(gate);
    return count === 0 ? [] : [`  ${gate.padEnd(10)}  ${countOf(count, 'file')}. ${GATES[gate].remedy}`];
  });
  const reasons = new Set(files.flatMap(({ why }) => why ?? []));
  const unchecked = [...reasons].map((reason) => {
    const its = files.filter(({ why }) => why === reason);
    const gates = GATE_CODES.filter((gate) => its.some((file) => file.unchecked.includes(gate)));
    return `${countOf(its.length, 'file')} ${uncheckedText(reason)} (${gates.join(', ')})`;
  });
  return [`${countOf(files.length, 'file')}, ${flagged} flagged`, ...remedies, ...unchecked];
}
