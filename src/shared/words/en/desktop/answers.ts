import { countOf, countText } from '../../../domain/base/text.ts';

/**
 * What the application answers the window, and why it refuses; and what happened to a row. `why` is a sentence or the
 * system's own words, `file`, `folder` and `path` are paths.
 */
export const answerWords = {
  /** What happened, and what to do about it: two sentences, perhaps from another part of the program. */
  withRemedy: ({ message, remedy }: { readonly message: string; readonly remedy: string }): string =>
    `${message} ${remedy}`,
  batch: {
    unknown: 'There is no such batch.',
    builtInGateway: 'the built-in gateway',
    isDelivered: 'This batch is being delivered. Wait for that, or cancel it.',
    deliverAgain: (stays: boolean): string =>
      `Correct that, or choose another folder, then deliver again${stays ? ': what was delivered stays.' : '.'}`,
    chooseFolderAgain: 'Choose the folder again.',
    folderGone: (folder: string): string =>
      `${folder} is missing. Connect its disk if it is on one, or choose the folder again.`,
    noFolder: (parent: string, why: string): string =>
      `No folder can be made in ${parent}: ${why} Choose another folder.`,
    manyFolders: (name: string, parent: string): string =>
      `There are too many folders named “${name}” in ${parent}. Choose another folder.`,
    filesElsewhere: (folder: string): string =>
      `The files of this batch are not on this computer. They are in ${folder}. Copy them with: nocturne export BATCH --out DIR`,
    answered: 'This question has already been answered.',
    connectFirst: 'Enter the base URL and the key of your gateway first.',
    connectOrRehearse: 'Enter the base URL and the key of your gateway first, or rehearse with the built-in one.',
    noGatewayOfWorkers:
      'Enter the base URL of your gateway first. Workers render this store, with keys of their own; a rehearsal needs the store on this computer.',
    noRehearsalOfWorkers:
      'Workers render this store, and a rehearsal is rendered by this window. Rehearse in the store on this computer: Settings, Store.',
    noRehearsal: (why: string): string => `The built-in gateway could not start: ${why}`,
    noPlaceOfWorkers: (why: string): string =>
      `A files place is for a store on this computer: ${why} Put the files on the web yourself and write their addresses, or use the store on this computer.`,
    started: 'The batch was started in the meantime.',
    onlyLimits: (batch: string): string =>
      `“${batch}” has already been started: only its name, limits and gates can be changed.`,
    asksMore: (now: number, shown: number): string =>
      `The sheet was still being changed: it now asks for ${countOf(now, 'paid request')}, not ${countText(shown)}. Look again, then start it.`,
    rowsAskMore: (now: number, shown: number): string =>
      `The sheet was still being changed: its changed rows now ask for ${countOf(now, 'paid request')}, not ${countText(shown)}. Look again, then run them.`,
    needsAccount: 'A batch needs an account.',
    ownAccounts: 'This batch has accounts of its own: import its sheet again to rehearse it.',
    baseUrlFirst: 'Enter the base URL first: there is nothing to test yet.',
    noRequestKeys: 'The profile does not say that this gateway takes keys of requests.',
    probePaysTwice: 'A probe sends one request twice: more paid requests than you were shown. Look again.',
    probeRuns: 'A probe of this gateway is under way: see what it shows first.',
    gatesAtWorkers: 'The files are with the workers. There: nocturne gates BATCH',
  },

  sheet: {
    samples: {
      night: 'A night of 60 rows',
      chain: 'A chain of 20 rows',
      'all-operations': 'All 13 operations',
      mistakes: 'Every kind of mistake',
    },
    pastedTable: 'Pasted table',
    gone: 'This sheet is no longer open. Import it again.',
    closed: 'This sheet was closed.',
    unknown: 'This sheet is no longer known.',
    noTemplate: 'There is no such template.',
    cannotRun: 'This sheet cannot run. See what is wrong with it.',
    changed: 'The sheet has changed in the meantime. Look at it, then try again.',
    accountsChecked: 'The sheet is still being checked for its accounts. Try again in a moment.',
    pastedOnce: 'A pasted table cannot be read again. Paste it once more.',
    noText: 'This is not a text file, so it has no encoding to choose.',
    noTab: (name: string): string => `The workbook has no sheet “${name}” that can be read.`,
    nothingToPaste: 'The clipboard holds nothing that can be pasted into a sheet.',
    clipboardChanged: 'The clipboard has changed in the meantime. Paste once more.',
    comparisonGone: 'This comparison is no longer available. Re-import the file.',
    applyFirst: 'This batch has not been started yet: apply the changes, then start it.',
    notWatched: 'This sheet did not come from a file that Nocturne can watch.',
  },

  row: {
    gone: 'This row no longer exists.',
    unknown: 'There is no such row in this batch.',
    noPrompt: 'This row has no prompt.',
    noRequest: 'This row asks for nothing.',
    noFile: 'This row has no file yet.',
    fileOfOther: 'A file that is no longer of its row is not dragged out.',
    noResults: 'No results of this batch were written since Nocturne was started.',
    fileChanged: (name: string): string => `${name} has been changed on the disk since it was verified.`,
    fileElsewhere: (path: string): string => `This file is not on this computer. It is ${path}.`,
    fileGone: 'This file is no longer in its folder.',
    fileAtWorkers: (folder: string): string =>
      `The workers have it in ${folder}, a folder that this computer does not see.`,
    noDocument: 'It is no document.',
    /** `size`: `3.4 MB` */
    tooLong: (size: string): string => `${size} are too long to be read here. Its folder has it.`,
    nothingToRead: 'There is nothing in it to read. Its folder has it.',
  },

  profile: {
    whole: 'The profile',
    unreadable: (why: string): string => `The profile cannot be read: ${why}`,
    noFile: (path: string): string => `${path} is not a regular file.`,
    tooLarge: (path: string): string => `${path} is too large for a profile.`,
    notJson: (why: string): string => `This is not JSON: ${why}`,
    /** `path`: the setting, as it is written in the profile. */
    problem: (path: string, message: string, remedy: string): string => `${path}: ${message} ${remedy}`,
    changed: 'The profile has changed in the meantime. Look at it, then save again.',
    allChanged: 'The profiles have changed in the meantime. Look at them, then delete again.',
    goneByName: (name: string): string => `There is no profile “${name}” any more. Choose another one.`,
    noBaseUrl: (name: string): string => `The profile “${name}” has no base URL. Enter it in the settings.`,
    nameTaken: (name: string): string => `Another profile is already called “${name}”. Give this one another name.`,
    needsName: 'A profile needs a name.',
    most: (n: number): string => `There are ${n} profiles. Delete one first.`,
    noOther: 'There is no other profile to continue with.',
    /** `problem`: what is wrong with it, as the end of the sentence. */
    badBaseUrl: (problem: string): string => `The base URL ${problem}.`,
    question: (n: number): string =>
      n === 1 ? 'Change this setting of the gateway?' : 'Change these settings of the gateway?',
    apply: 'Apply changes',
    added: (name: string, value: string): string => `${name}: added ${value}`,
    removed: (name: string, value: string): string => `${name}: removed ${value}`,
    changedTo: (name: string, before: string, after: string): string => `${name}: ${before} → ${after}`,
    empty: '(empty)',
    /** `host`: how the address is looked up. */
    withHost: (address: string, host: string): string => `${address} (${host})`,
    moreIn: (n: number, settings: readonly string[]): string => `And ${n} more, in: ${settings.join(', ')}`,
    keeps: (origin: string): string =>
      `What you said of ${origin} stays in the profile: its table “status”, and all that is not listed above. At another gateway the same status may mean something else, and rows would fail at once. Look at the profile before you start a batch.`,
    warning:
      'Such settings decide where your prompts go, where files are fetched from, and what counts as failed. Apply only what you wrote yourself or got from somebody you trust.',
    statusFails: (status: string, family: string): string => `Treat status ${status} of ${family} as failed?`,
    statusFailsDetail: (origin: string): readonly string[] => [
      `From now on a row fails as soon as ${origin} answers with this status, in every batch. Nocturne no longer asks the gateway about it, so a file that would come later is not fetched.`,
      'Rows that seemed to have failed with it count as failed. To retry one is a new paid request.',
      'You can change this in the profile, under Settings.',
    ],
    treatAsFailed: 'Treat as failed',
    accountUnusable: (name: string, why: string): string => `The account “${name}” cannot be used. ${why}`,
    accountWithoutKey: (name: string): string => `The account “${name}” has no key. Enter it first.`,
    accountsAreOne: (one: string, other: string): string =>
      `The accounts “${one}” and “${other}” are one: the same gateway with the same key. Leave one of them out.`,
  },

  key: {
    baseUrlFirst: 'Enter the base URL first: the key is kept only for that address.',
    noGateway: 'This is not the address of a gateway.',
    notKept: 'The key could not be kept: the data folder or the keyring cannot be written.',
    maybeKept:
      'The key is no longer used, but the key file could not be changed, so the key may be back at the next start. Unlock the keyring, start Nocturne again and forget the key once more.',
    inProfile:
      'The profile or the base URL contains the key. Remove it there: the key is sent as a header, and profiles are shared.',
    unreadable: 'The file that keeps your key cannot be read. Enter the key again, in the settings.',
    noKeyring: 'The keyring that keeps your key cannot be reached. Unlock it, or enter the key again.',
    movable:
      'The key was kept in a form in which it could be moved to another gateway. It is not used. Enter the key again, in the settings.',
    fileChanged: 'The file that keeps your key was changed, so it is not used. Enter the key again, in the settings.',
    notReadBack: 'The key could not be read back from the keyring. Enter the key again, in the settings.',
  },

  settings: {
    allInvalid: (file: string): string =>
      `The settings could not be understood, so the defaults apply. The file is kept as ${file}.`,
    /** `what`: each in a sentence. */
    partInvalid: (what: readonly string[], file: string): string =>
      `Part of the settings is no longer valid, so the defaults apply instead. ${what.join(' ')} Everything else is as it was; the file as it was is kept as ${file}.`,
    notWritten: (why: string): string =>
      `The settings cannot be written, so they stay as they were. Check the disk with Nocturne’s data folder: ${why}`,
  },

  /** What happened to one take of a row, for the row's inspector. */
  events: {
    'submit-started': 'The request was recorded and sent.',
    accepted: 'The gateway accepted it.',
    'not-sent': 'Nothing reached the gateway; Nocturne sends it again later.',
    'rate-limited': 'The gateway asked to slow down; Nocturne sends it again later.',
    held: 'The gateway refused for a reason that concerns the whole night; the row keeps its place.',
    rejected: 'The gateway refused it.',
    'outcome-unknown': 'No clear answer came from the gateway: it may have been charged.',
    'asked-again': 'It was sent once more under its key, which is charged only once.',
    'still-unknown': 'It is still not known whether the gateway accepted it.',
    'code-offered': 'The gateway’s answer came late and names its task code: adopt it if the row waits for you.',
    'answered-late': 'The gateway’s answer came late; Nocturne has kept it.',
    adopted: 'You gave it a task code.',
    'user-resubmit': 'You sent it again.',
    'written-off': 'You wrote it off.',
    'still-running': 'The gateway is still rendering.',
    'poll-failed': 'The gateway gave no usable answer; Nocturne asks again.',
    rendered: 'The gateway has rendered it.',
    'remote-failed': 'The gateway could not render it.',
    overdue: 'It was not finished before the deadline.',
    'output-started': 'The download of a file started.',
    'output-placing': 'A file was downloaded and verified.',
    'output-verified': 'A file is in its place.',
    'url-expired': 'The address of a file had expired; Nocturne asks the gateway for a fresh one.',
    'download-failed': 'A download failed; Nocturne tries again.',
    unsound:
      'The download was not the file, or not all of it; Nocturne asks the gateway for a fresh address and fetches it again.',
    'download-given-up': 'A download failed for the last time.',
    unverifiable: 'A file could not be verified, for the last time.',
    'file-checked': 'The gates of the batch looked at a file.',
    'made-again': 'A gate flags a file of it, so its take is rendered once more.',
    'download-held': 'A file could not be written to the disk; the download waits.',
    'user-retry': 'You tried it again.',
    'cancel-requested': 'You cancelled it.',
    'put-on-hold': 'You held its row: nothing new is submitted for it.',
    released: 'You released its row.',
    'put-first': 'You had its row run next.',
    blocked: 'It waits for another row that it refers to.',
    unblocked: 'Every row that it refers to is done.',
    'blocked-row-failed': 'A row that it waits for has failed.',
    'reference-unresolved': 'The values that it refers to could not be filled in; nothing was sent.',
    reviewed: 'You reviewed a file.',
    'file-moved': 'A file was moved: you rejected it, or took that back.',
    'file-deleted': 'You deleted a rejected file for good.',
    'path-freed': 'Nothing is left at the former path of a file.',
    'file-awaited': 'It waits for a file of this computer to be where the gateway can read it; nothing was sent.',
  },

  story: {
    'ended-in-words': 'The gateway ended it with a message; waiting to be sure.',
    'ended-empty': 'The gateway ended it without a result; waiting to be sure.',
    seemsRendered: 'The gateway seems to have rendered it.',
    seemsFailed: 'It seems to have failed; Nocturne keeps asking the gateway.',
    /** `what`: what happened, a sentence. */
    withFailure: (what: string, title: string, why: string): string => `${what} ${title}: ${why}`,
    addressAgain: 'The gateway gave the address of its files again.',
    askedForAddress: 'The gateway was asked for a fresh address.',
    noAddress: 'The gateway was asked for a fresh address, and gave none.',
    noAddressBut: (why: string): string => `The gateway was asked for a fresh address, and gave none: ${why}`,
  },
};
export type AnswerWords = typeof answerWords;
