/** Why a list of words cannot be read or kept. `name` is in quotation marks. */
export const listWords = {
  /** @param why What the system says. */
  unreadable: (folder: string, why: string): string => `Nocturne cannot read the lists in ${folder}: ${why}.`,
  unwritable: (folder: string, why: string): string => `Nocturne cannot write the list to ${folder}: ${why}.`,
  irremovable: (folder: string, why: string): string => `Nocturne cannot remove the list from ${folder}: ${why}.`,
  /** @param why One of those below, or what the system says. */
  ignored: (file: string, why: string): string => `The list ${file} is ignored: ${why}.`,
  badName: (name: string, why: string): string => `A list cannot have the name ${name}: ${why}.`,
  none: (name: string, why: string): string => `There is no list ${name}: ${why}.`,
  unsendable: 'The list contains a NUL character or half a character.',
  tooLarge: (mebibytes: number): string => `A list can have at most ${mebibytes} MiB.`,

  // Inside a sentence
  tooMany: 'there are too many lists',
  tooMuch: (mebibytes: number): string => `all lists together have more than ${mebibytes} MiB`,
  isTooLarge: (mebibytes: number): string => `it has more than ${mebibytes} MiB`,
  notPlain: 'it is not a plain file',
  hasNul: 'it contains a NUL character',
  notUtf8: 'its text is not UTF-8',
  longName: (most: number): string => `a name can have at most ${most} characters`,
  letters: 'a name consists of letters, digits, hyphens and single underscores between them',
  notEverywhere: 'not every system allows a file with that name',
};
export type ListWords = typeof listWords;

/** Why what the user says about a file is not recorded, and what to do. */
export const reviewRefusals = {
  gone: 'This file is no longer among those of its row.',
  earlierVersion: 'This file belongs to an earlier version of its row: only a file that the row has now can be picked.',
  notVerified: 'This file has changed: it is not verified now.',
  changing: 'The files were changing all the while: nothing is certain.',
  /** @param row In quotation marks. */
  noFile: (row: string): string => `Row ${row} has no verified file.`,
  noSuchFile: (row: string): string => `Row ${row} has no such file.`,
  several: (row: string, files: number, paths: string): string => `Row ${row} has ${files} such files: ${paths}.`,

  lookAtRow: 'Nothing was recorded. Look at the row as it is now.',
  lookAgain: 'Nothing was recorded. Look at it again once it is there.',
  sayAgain: 'Say it again.',
  inManifest: 'The files of each row, with their takes, are in manifest.csv in the media folder.',
  pickOne: 'Pick one of them: name its take with --take, and its number in the take with --file.',
};
export type ReviewRefusals = typeof reviewRefusals;

/** What could not be saved at the end of a night, and what that means. */
export const unsavedWords = {
  heading: 'Not everything could be saved before Nocturne closed. Nothing is sent twice because of that.',
  submit: (row: string, take: number): string =>
    `Row ${row}, take ${take}: no answer to its paid request was saved. Next time Nocturne shows it as “outcome unknown”.`,
  accepted: (row: string, take: number, taskCode: string): string =>
    `Row ${row}, take ${take}: the gateway accepted it, but that was not saved. Next time Nocturne shows it as “outcome unknown”: adopt task code ${taskCode}.`,
  moreSubmits: (requests: number): string => `The same applies to ${requests} more paid requests.`,
  results: (results: number): string =>
    `Nocturne asks for ${results} ${results === 1 ? 'result' : 'results'} again next time; nothing is lost.`,
  pause: (batch: string): string =>
    `The batch “${batch}”: your pause was not saved. Next time, Nocturne continues it until you pause it again.`,
  start: (batch: string): string =>
    `The batch “${batch}”: your start was not saved. Next time, Nocturne leaves it as it was before until you start it again.`,
  edit: (batch: string): string =>
    `The batch “${batch}”: the edit that you cancelled could not be taken back. Next time, Nocturne completes it: look at the rows before you start them.`,
};
export type UnsavedWords = typeof unsavedWords;
