/** Runs one contender of the bench in this process and prints its figures as one line of JSON. */
import { maxRssMiB } from './support/measure.ts';

/** Figures of one run: numbers are compared by their medians, other values come from the first run. */
export type Figures = Readonly<Record<string, number | string | readonly (readonly number[])[]>>;

/** The input of a contender; each knows its own keys. */
export type ContenderInput = Readonly<Record<string, number | string>>;

type Contender = (input: ContenderInput) => Promise<Figures>;

/** Each loads only its own modules: none pays for another's. */
const CONTENDERS = {
  'our-night': async (input) => (await import('./rivals/our-night.ts')).runOurNight(input),
  'script-night': async (input) => (await import('./rivals/script-night.ts')).runScriptNight(input),
  'store-updates': async (input) => (await import('./rivals/store-updates.ts')).updateStore(input),
  'conf-updates': async (input) => (await import('./rivals/conf-updates.ts')).updateConf(input),
  'our-sheet': async (input) => (await import('./rivals/our-sheet.ts')).readByOurs(input),
  'our-import': async (input) => (await import('./rivals/our-import.ts')).importByOurs(input),
  papaparse: async (input) => (await import('./rivals/sheet-libraries.ts')).readByLibrary('papaparse', input),
  'csv-parse': async (input) => (await import('./rivals/sheet-libraries.ts')).readByLibrary('csv-parse', input),
  'read-excel-file': async (input) =>
    (await import('./rivals/sheet-libraries.ts')).readByLibrary('read-excel-file', input),
  hucre: async (input) => (await import('./rivals/sheet-libraries.ts')).readByLibrary('hucre', input),
  'library-import': async (input) => (await import('./rivals/sheet-libraries.ts')).importByLibrary(input),
  'our-edit': async (input) => (await import('./rivals/our-edit.ts')).editByOurs(input),
  'our-download': async (input) => (await import('./rivals/our-download.ts')).downloadByOurs(input),
  'curl-download': async (input) => (await import('./rivals/other-downloads.ts')).downloadByCurl(input),
  'fetch-download': async (input) => (await import('./rivals/other-downloads.ts')).downloadByFetch(input),
} as const satisfies Readonly<Record<string, Contender>>;
export type ContenderName = keyof typeof CONTENDERS;

function isContender(name: string | undefined): name is ContenderName {
  return name !== undefined && name in CONTENDERS;
}

const [name, input] = process.argv.slice(2);
if (!isContender(name)) throw new Error(`No contender ${name}`);
const figures = await CONTENDERS[name](JSON.parse(input ?? '{}') as ContenderInput);
console.log(JSON.stringify({ ...figures, maxRssMiB: maxRssMiB() }));
