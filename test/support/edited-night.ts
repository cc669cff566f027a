/** A sheet that is edited during and after its night. */
import { profileWith } from './night-harness.ts';
import { SheetRig } from './sheet-rig.ts';

export const HEADERS = ['row', 'operation', 'prompt', 'takes', 'note'];
export const ONE_AT_A_TIME = { settings: { profile: profileWith({ activePerFamily: { musicgen: 1 } }) } };

/** Rows of songs, each a record of the sheet. */
export function lines(count: number): string[][] {
  return Array.from({ length: count }, (_, i) => [`s${i + 1}`, 'music', `song ${i + 1}`, '', '']);
}

/** The prompts that were sent, in their order. */
export function prompts(rig: SheetRig): readonly string[] {
  return rig.night.gateway.submits.map(({ body }) => (JSON.parse(body) as { prompt: string }).prompt);
}

/** How many tasks wait to be sent. */
export async function waiting(rig: SheetRig, batchId: string): Promise<number> {
  return (await rig.night.statuses(batchId)).filter((status) => status === 'queued').length;
}

/** Id and status of each row, in the order of the sheet. */
export async function statuses(rig: SheetRig, batchId: string): Promise<readonly string[]> {
  return (await rig.night.opened.views.rowPage(batchId, { offset: 0, limit: 100 })).rows.map(
    ({ row, status }) => `${row} ${status}`,
  );
}

/** Lets the night go on until its first task is rendering. */
export async function untilRendering(rig: SheetRig, batchId: string): Promise<void> {
  await rig.night.clock.advanceUntil(async () => (await rig.night.statuses(batchId)).includes('rendering'));
}
