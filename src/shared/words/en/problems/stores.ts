import { countOf } from '../../../domain/base/text.ts';

const OTHER_FOLDER = 'choose another data folder';
const FORM = 'Write it as postgres://USER@HOST/DATABASE; the password is best kept in ~/.pgpass or PGPASSWORD.';
const ESCAPED = 'In a password, write @ as %40, / as %2F, ? as %3F and # as %23.';

/** Why a store cannot be used. `place` is a folder, a file or an address. */
export const storeWords = {
  /** @param why What the system, SQLite or the server says. */
  error: (place: string, why: string): string => `${place}: ${why}`,
  /** @param name The error’s name. @param says A sentence. */
  thrown: (name: string, says: string): string => `${name}: ${says}`,
  noFile: (file: string): string => `There is no ${file}.`,
  notFile: (path: string): string => `${path} is not a file.`,
  noneAt: (place: string): string => `There is no store at ${place}.`,
  noneIn: (folder: string): string => `There is no store in ${folder}.`,
  empty: (file: string): string => `${file} is empty.`,
  emptied: (file: string): string => `${file} is empty, although it knew of paid requests.`,
  foreign: (file: string): string => `${file} is not a Nocturne database, or its beginning is lost.`,
  damaged: (file: string, fault: string): string => `${file} is damaged: ${fault}`,
  older: (place: string): string => `${place} was made by an older version.`,
  newer: (place: string, version: number, known: number): string =>
    `${place} was made by a newer version (${version}; this one knows ${known}).`,
  otherVersion: (place: string, version: string): string => `${place} has become another version (${version}).`,
  unsafe: (place: string, name: string, is: string, value: string): string =>
    `${place}: ${name} is ${is} instead of ${value}.`,
  owned: (folder: string): string => `The data folder ${folder} is in use by another process.`,
  ownedBy: (folder: string, pid: number): string => `The data folder ${folder} is in use by process ${pid}.`,
  taken: (place: string): string => `Another process has opened ${place} since; its lock was removed.`,
  beingRead: (place: string): string => `Another process reads ${place}.`,
  exists: (file: string): string => `${file} already exists. Nocturne does not replace it.`,
  itself: (file: string): string => `${file} is the store itself.`,
  /** The copy that is made before an update, as a place. */
  updateCopy: (file: string): string => `The copy that is made before an update, ${file}`,
  copyDamaged: (file: string, fault: string): string => `The copy ${file} made before an update is damaged: ${fault}.`,
  copyOther: (file: string): string => `The copy ${file} made before an update is of another version.`,

  // What belongs to a store, and comes back with a backup of it
  notAllRestored: (why: string): string => `The store is restored, but not all that belongs to it: ${why}`,
  withLists: (lists: number): string => `With it: ${countOf(lists, 'list')} of words.`,
  withSettings: 'With it: the settings.',
  withoutWays: 'Not with it: how a night is told of, and what to do after it. That stays as it is here.',
  /** @param name Empty if the profile has none. */
  withProfile: (name: string, baseUrl: string): string =>
    `With it: the profile${name === '' ? '' : ` “${name}”`}, which sends to ${baseUrl}.`,

  // Moves
  move: (from: string, to: string): string => `The move from ${from} to ${to}`,
  bothPlaces: (place: string): string => `${place} is both places.`,
  storeThere: (place: string): string => `There is a store at ${place}. Nothing was changed.`,
  tableDiffers: (table: string, to: string, from: string): string =>
    `The table ${table} is not the same at ${to}. The store is still at ${from}.`,
  cutOff: (place: string, from: string): string =>
    `The store at ${place} is not whole: its move from ${from} was cut off.`,
  moved: (place: string, to: string): string =>
    `The store at ${place} was moved to ${to}. What is here is as it was then.`,

  // On a server
  noAddress: (begun: string): string => `${begun}… is no address of a store.`,
  addressUnreadable: (begun: string): string => `The address ${begun}… cannot be read.`,
  schemaName: (place: string, schema: string): string => `${place}: ${schema} cannot be the name of a schema.`,
  sslmode: (place: string): string => `${place}: its sslmode is unknown, or allows no encryption.`,
  password: (place: string): string => `The password in the address of ${place} cannot be read.`,
  oldServer: (place: string, oldest: number): string => `${place} is older than PostgreSQL ${oldest}.`,
  encoding: (place: string, encoding: string): string => `${place} keeps texts as ${encoding} instead of UTF8.`,
  notDurable: (place: string, name: string): string =>
    `${place}: ${name} is off. A power cut could lose what was paid for.`,
  inUse: (place: string, who: string): string => `The store ${place} is in use by ${who}.`,
  someProcess: 'another process',
  foreignTables: (schema: string, place: string): string =>
    `The schema ${schema} of ${place} holds the tables of another program.`,
  pooler: (place: string): string =>
    `${place} is a pooler of connections, such as PgBouncer, and not the server itself.`,
  wentAway: (place: string, batch: string): string =>
    `${place} went away before it said whether it has the batch ${batch}.`,
};
export type StoreWords = typeof storeWords;

/** What to do about a store that cannot be used. */
export const storeRemedies = {
  // By kinds of problems
  owned: `Close the other Nocturne, or ${OTHER_FOLDER}.`,
  newer: `Use the newer version of Nocturne that made it, or ${OTHER_FOLDER}. Nothing was changed.`,
  older: 'Open it once with this version of Nocturne, which brings it up to date.',
  damaged:
    'Nothing was changed and nothing is sent. Keep a copy of the data folder, then restore a backup or choose another one.',
  missing: 'Import a sheet first, or name the data folder that holds the batches (on the command line: --data DIR).',
  denied: `Make the folder writable for you, or ${OTHER_FOLDER}.`,
  full: 'Free some space on this disk, then start again. No recorded data is lost.',
  unsafe: 'Choose a data folder on a local disk.',
  away: 'Start the server, or look at its address and the network. No recorded data is lost.',
  moved: 'Use the store in its new place.',

  emptied:
    'Nothing was changed and nothing is sent. Restore a backup, or choose another data folder. To start anew, without batches and with nothing spent, remove this file.',
  damagedOnServer:
    'Nothing was changed and nothing is sent. Restore this database or its schema from a backup, or name another store.',
  goBack: (copy: string): string => `To go back to this version, restore the copy from before the update, ${copy}.`,
  otherFile: 'Name a file that does not exist yet.',
  ofItself: 'Name a backup of it.',
  withItsVersion: 'Restore it with the version that made it.',
  otherBackup: 'Choose another backup. Nothing was changed.',
  ourBackup: 'Name a backup that Nocturne wrote.',
  otherPlace: 'Name another place.',
  emptyPlace: 'Name an empty place.',
  keepThere: 'Keep the store where it is, and tell the maintainers.',
  repeat: (from: string, to: string): string => `Repeat it: nocturne move --from ${from} --to ${to}`,
  workThere: (from: string, to: string): string =>
    `Work there, or move it back: nocturne move --from ${from} --to ${to}`,

  form: FORM,
  formEscaped: `${FORM} ${ESCAPED}`,
  escaped: ESCAPED,
  schemaName: 'Use small letters, digits and underscores.',
  sslmode: 'Use sslmode=verify-full; or, where the network is your own, sslmode=disable.',
  noStore:
    'Import a sheet first, or give the address of the store that holds the batches (on the command line: --store URL).',
  newerServer: 'Use a newer server.',
  encoding: 'Make the database with ENCODING UTF8.',
  setOn: (name: string): string => `Set ${name} to on in the server's configuration.`,
  ownedThere: 'Close the other Nocturne, or choose another store.',
  behindPooler: 'Name the address of the PostgreSQL server that is behind it.',
  notLetIn: 'Look at the user, the password, the database and the sslmode of the address.',
  lookAfterwards: 'Once it is back, look with nocturne status whether the batch is there, before you import it again.',
};
export type StoreRemedies = typeof storeRemedies;
