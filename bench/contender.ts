/** Runs one contender of the bench in this process and prints its figures as one line of JSON. */
import module from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { maxRssMiB } from './support/measure.ts';

/** Figures of one run: numbers are compared by their medians, other values come from the first run. */
export type Figures = Readonly<Record<string, number | string | readonly (readonly number[])[]>>;

/** The input of a contender; each knows its own keys. */
export type ContenderInput = Readonly<Record<string, number | string>>;

type Contender = (input: ContenderInput) => Promise<Figures>;

/** Each loads only its own modules, so that none pays for another's. */
const CONTENDERS = {
  'our-night': async (input) => (await import('./rivals/our-night.ts')).runOurNight(input),
  'our-prepared-night': async (input) => (await import('./rivals/our-night.ts')).prepareOurNight(input),
  'our-waiting-night': async (input) => (await import('./rivals/our-night.ts')).runPreparedNight(input),
  'fleet-import': async (input) => (await import('./rivals/fleet.ts')).importFleetBatch(input),
  'fleet-batch': async (input) => (await import('./rivals/fleet.ts')).runFleetBatch(input),
  'fleet-worker': async (input) => (await import('./rivals/fleet.ts')).runFleetWorker(input),
  'durable-script-night': async (input) => (await import('./rivals/script-night.ts')).runDurableScriptNight(input),
  'floor-night': async (input) => (await import('./rivals/floor-night.ts')).runFloorNight(input),
  'script-night': async (input) => (await import('./rivals/script-night.ts')).runScriptNight(input),
  'store-updates': async (input) => (await import('./rivals/store-updates.ts')).updateStore(input),
  'our-paced-updates': async (input) => (await import('./rivals/store-updates.ts')).updateAtRate(input),
  'our-jobs': async (input) => (await import('./rivals/store-updates.ts')).runOurJobs(input),
  'our-filter': async (input) => (await import('./rivals/our-filter.ts')).filterByOurs(input),
  'bare-updates': async (input) => (await import('./rivals/bare-sqlite.ts')).updateTable(input),
  'bare-paced-updates': async (input) => (await import('./rivals/bare-sqlite.ts')).updateTableAtRate(input),
  'bare-grouped-updates': async (input) => (await import('./rivals/bare-sqlite.ts')).updateTableInGroups(input),
  'bare-grouped-jobs': async (input) => (await import('./rivals/bare-sqlite.ts')).runTableJobsInGroups(input),
  'bare-jobs': async (input) => (await import('./rivals/bare-sqlite.ts')).runTableJobs(input),
  'bare-filter': async (input) => (await import('./rivals/bare-sqlite.ts')).filterTable(input),
  'queue-jobs': async (input) => (await import('./rivals/bare-sqlite.ts')).runQueueJobs(input),
  'our-sheet': async (input) => (await import('./rivals/our-sheet.ts')).readByOurs(input),
  'our-import': async (input) => (await import('./rivals/our-import.ts')).importByOurs(input),
  papaparse: async (input) => (await import('./rivals/sheet-libraries.ts')).readByLibrary('papaparse', input),
  'csv-parse': async (input) => (await import('./rivals/sheet-libraries.ts')).readByLibrary('csv-parse', input),
  'read-excel-file': async (input) =>
    (await import('./rivals/sheet-libraries.ts')).readByLibrary('read-excel-file', input),
  hucre: async (input) => (await import('./rivals/sheet-libraries.ts')).readByLibrary('hucre', input),
  sheetjs: async (input) => (await import('./rivals/sheet-libraries.ts')).readByLibrary('sheetjs', input),
  'library-import': async (input) => (await import('./rivals/sheet-libraries.ts')).importByLibrary(input),
  'our-edit': async (input) => (await import('./rivals/our-edit.ts')).editByOurs(input),
  'our-views': async (input) => (await import('./rivals/our-views.ts')).askViews(input),
  'our-download': async (input) => (await import('./rivals/our-download.ts')).downloadByOurs(input),
  'curl-download': async (input) => (await import('./rivals/other-downloads.ts')).downloadByCurl(input),
  'aria2c-download': async (input) => (await import('./rivals/other-downloads.ts')).downloadByAria2(input),
  'fetch-download': async (input) => (await import('./rivals/other-downloads.ts')).downloadByFetch(input),
  'our-polls': async (input) => (await import('./rivals/our-polls.ts')).pollByOurs(input),
  'our-simulation': async (input) => (await import('./rivals/our-simulation.ts')).simulateNights(input),
  'our-command': async (input) => (await import('./rivals/commands.ts')).runOurCommand(input),
  'packaged-command': async (input) => (await import('./rivals/commands.ts')).runPackagedCommand(input),
  'packaged-node': async (input) => (await import('./rivals/commands.ts')).runPackagedNode(input),
  'bare-node': async (input) => (await import('./rivals/commands.ts')).runBareNode(input),
  'our-start': async (input) => (await import('./rivals/windows.ts')).startOurs(input),
  'empty-start': async (input) => (await import('./rivals/windows.ts')).startEmpty(input),
  'packaged-start': async (input) => (await import('./rivals/windows.ts')).startPackaged(input),
  'packaged-empty-start': async (input) => (await import('./rivals/windows.ts')).startPackagedEmpty(input),
  'our-first-rows': async (input) => (await import('./rivals/windows.ts')).showFirstRows(input),
  'our-gallery': async (input) => (await import('./rivals/gallery-window.ts')).showGallery(input),
  'our-batch': async (input) => (await import('./rivals/windows.ts')).showBatch(input),
  'our-results': async (input) => (await import('./rivals/gallery-window.ts')).showResults(input),
} as const satisfies Readonly<Record<string, Contender>>;
export type ContenderName = keyof typeof CONTENDERS;

function isContender(name: string | undefined): name is ContenderName {
  return name !== undefined && name in CONTENDERS;
}

/** As the built command line does: what Node has compiled once, a user's later nights do not compile again. */
function keepCompiled(): void {
  const file = fileURLToPath(import.meta.url);
  // Node 20 has no such cache.
  const { enableCompileCache } = module as Partial<Pick<typeof module, 'enableCompileCache'>>;
  if (file.endsWith('.js')) enableCompileCache?.(path.join(path.dirname(file), 'compiled'));
}

const [name, input] = process.argv.slice(2);
if (!isContender(name)) throw new Error(`No contender ${name}`);
keepCompiled();
const figures = await CONTENDERS[name](JSON.parse(input ?? '{}') as ContenderInput);
console.log(JSON.stringify({ ...figures, maxRssMiB: maxRssMiB() }));
