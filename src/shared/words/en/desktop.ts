import { countOf, countText } from '../../domain/base/text.ts';

/**
 * What the application says beside its window: menus, the tray, dialogs and notifications of the system; and what it
 * answers the window, and why it refuses. `why` is a sentence or the system's own words, `file` and `folder` are paths.
 */
export const desktopWords = {
  /** What happened, and what to do about it: two sentences, perhaps of another part of the program. */
  withRemedy: ({ message, remedy }: { readonly message: string; readonly remedy: string }): string =>
    `${message} ${remedy}`,
  answerFirst: 'Answer the open question first.',
  notJson: 'This is not JSON.',
  cannotWrite: (file: string, why: string): string => `${file} cannot be written: ${why}`,
  cannotOpen: (path: string, why: string): string => `${path} cannot be opened: ${why}`,
  /** The name of a copy. */
  copyOf: (name: string): string => `${name} copy`,
  andMore: (n: number): string => `And ${n} more.`,

  menu: {
    // An ampersand marks the letter that opens a menu with Alt.
    file: '&File',
    edit: '&Edit',
    view: '&View',
    batch: '&Batch',
    go: '&Go',
    window: '&Window',
    help: '&Help',
    importSheet: 'Import a sheet…',
    backUp: 'Back up the store…',
    restore: 'Restore a backup…',
    settingsOfMac: 'Settings…',
    documentation: 'Documentation',
    diagnostics: 'Diagnostics…',
    openLogs: 'Open the logs',
    openDataFolder: 'Open the data folder',
    about: 'About Nocturne, and licences',
    aboutOfMac: 'About Nocturne',
    services: 'Services',
    hide: 'Hide Nocturne',
    hideOthers: 'Hide Others',
    showAll: 'Show All',
    quit: 'Quit',
    quitOfMac: 'Quit Nocturne',
    exit: 'Exit',
    selectAll: 'Select All',
    cut: 'Cut',
    paste: 'Paste',
    pasteAndMatchStyle: 'Paste and Match Style',
    speech: 'Speech',
    startSpeaking: 'Start Speaking',
    stopSpeaking: 'Stop Speaking',
    resetZoom: 'Actual Size',
    zoomIn: 'Zoom In',
    zoomOut: 'Zoom Out',
    fullScreen: 'Toggle Full Screen',
    minimize: 'Minimize',
    zoom: 'Zoom',
    front: 'Bring All to Front',
    closeWindow: 'Close Window',
    /** The window’s commands, by the ids that it knows them by: shorter than in its palette. */
    commands: {
      template: 'New sheet from a template',
      paste: 'New batch from the clipboard',
      run: 'Start or resume',
      pause: 'Pause',
      retry: 'Retry',
      review: 'Review',
      gallery: 'Gallery',
      batchLedger: 'Ledger of this batch',
      deliver: 'Deliver…',
      results: 'Write results',
      folder: 'Open the folder',
      rename: 'Rename…',
      duplicate: 'Duplicate',
      home: 'Welcome',
      ledger: 'Ledger',
      settings: 'Settings',
      help: 'Help',
    },
  },

  tray: {
    starting: 'Starting',
    tooltip: (progress: string): string => `Nocturne – ${progress}`,
    open: 'Open Nocturne',
    pauseAll: 'Pause all',
    resume: 'Resume',
    quit: 'Quit',
    idle: 'Nothing is being rendered',
    /** How far the night is, in a line: `34 of 60 takes`; `end` and `opens` are times of day. */
    rendering: 'Rendering',
    waits: (opens: string): string => `Waits until ${opens}`,
    finishing: 'Paused, finishing what was sent',
    paused: 'Paused',
    progress: (state: string, ended: number, all: number, end: string | undefined, needsYou: boolean): string => {
      const until = end === undefined ? '' : `, until about ${end}`;
      return `${state}: ${countText(ended)} of ${countText(all)} takes${until}${needsYou ? '. Needs you' : ''}`;
    },
  },

  /** Dialogs of the system in which a file or a folder is chosen, and the kinds of files in them. */
  choose: {
    sheet: 'Import a sheet',
    folder: 'Choose the media folder',
    profile: 'Import a profile',
    place: 'Choose the file of a files place',
    backup: 'Restore a backup',
    newBackup: 'Back up the store',
    newProfile: 'Export the profile',
    evidence: 'Export the evidence',
    results: 'Write the results',
    diagnostics: 'Save the diagnostics',
    kind: {
      sheets: 'Sheets',
      all: 'All files',
      profiles: 'Profiles',
      places: 'Files places',
      stores: 'Stores',
      text: 'Text',
    },
  },

  closing: {
    title: 'Rendering is still running.',
    stop: 'If you stop, everything is kept, and rendering continues the next time you open Nocturne.',
    stopOrNot:
      'It can keep running without this window; open Nocturne again to see it. If you stop, everything is kept, and rendering continues the next time you open Nocturne.',
    keepRunning: 'Keep running in the background',
    stopAndQuit: 'Stop and quit',
  },

  window: {
    cannotStart: 'Nocturne cannot start',
    closedEarly: 'Nocturne closed before everything was done',
    notAllDone: 'Not everything was done',
    stopped: 'The window stopped',
    restored: 'Nocturne has opened it again. The engine was not affected, and the night continues.',
    stoppedTwice: 'The window stopped twice in a row',
    nightGoesOn: 'The night continues without it. Nothing is lost.',
    showAgain: 'Show the window again',
    close: 'Close Nocturne',
    pleaseCheck: 'Please check',
    noSheet: 'This is no sheet',
    dropSheet: (extensions: readonly string[]): string =>
      `Drop a sheet: a file that ends with ${extensions.join(', ')}.`,
    dropFile: 'Drop a file, not a folder.',
    sheetNotOpened: 'The sheet could not be opened',
    folderNotShown: 'The batch of this folder could not be shown',
    folderUnknown: 'No batch of this folder is here',
    licencesMissing: 'The licences are missing. Build the program again, or install it again.',
    foreignPage: 'This page may not ask Nocturne for anything.',
    noRoute: 'There is no such route.',
    tooMuch: 'That is more than 1 MiB at once.',
    unreadable: (what: string): string => `Nocturne cannot read this request: ${what}`,
    notSet: (why: string): string => `That could not be set: ${why}`,
  },

  /** The engine’s process and what becomes of it. */
  engine: {
    beingRestarted: 'The engine is being restarted.',
    closing: 'Nocturne is closing.',
    movesToOther: 'The engine ends in good order, and starts on the other store.',
    movedToOther: 'The store is another one now.',
    opens: 'The store is being opened.',
    starting: 'The engine is still starting.',
    notStarted: (why: string): string => `The engine could not be started: ${why}`,
    hangs:
      'The engine stopped answering three times within half an hour. Nothing is sent any more; the batches are as they were. Try again. If it happens again, pause your batches and resume them one by one, to find the one that makes it hang.',
    hung: (s: number): string => `The engine did not answer for ${s} seconds and is being restarted.`,
    hungAndBack: (s: number): string =>
      `The engine did not answer for ${s} seconds and was restarted. Rendering continued where it stopped.`,
    stoppedMeanwhile: 'The engine stopped while it was doing this. Look at the batch, then try again.',
    crashes: (code: number): string =>
      `The engine stopped twice within a minute (last with code ${code}). Nothing is sent any more; the batches are as they were. Try again, or look at the log.`,
    crashed: 'The engine stopped and is being restarted.',
    crashedAndBack: 'The engine stopped and was restarted. Rendering continued where it stopped.',
    cutOff:
      'The engine did not end in good order. Paid requests that were under way, if there were any, are shown as “outcome unknown” next time; nothing is sent twice. Galleries and manifests may be older than what is saved.',
    unwritten: (batches: readonly string[], more: number): string => {
      const names = [...batches.map((name) => `“${name}”`), ...(more === 0 ? [] : [`${more} more`])];
      return `The gallery, the manifest and the results sheet are older than what is saved: ${names.join(', ')}. To write them, open the gallery of the batch in Nocturne.`;
    },
    galleryNotWritten: (batch: string): string => `The gallery of “${batch}” could not be written`,
  },

  batch: {
    unknown: 'There is no such batch.',
    builtInGateway: 'the built-in gateway',
    isDelivered: 'This batch is being delivered. Wait for that, or cancel it.',
    deliverAgain: (stays: boolean): string =>
      `Correct that, or choose another folder, then deliver again${stays ? ': what was delivered stays.' : '.'}`,
    chooseFolderAgain: 'Choose the folder again.',
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
      `The sheet was still being changed: it now asks for ${countText(now)} paid requests, not ${countText(shown)}. Look again, then start it.`,
    rowsAskMore: (now: number, shown: number): string =>
      `The sheet was still being changed: its changed rows now ask for ${countText(now)} paid requests, not ${countText(shown)}. Look again, then run them.`,
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
    gone: 'There is no such profile any more.',
    goneByName: (name: string): string => `There is no profile “${name}” any more. Choose another one.`,
    noBaseUrl: (name: string): string => `The profile “${name}” has no base URL. Enter it in the settings.`,
    nameTaken: (name: string): string => `Another profile is already called “${name}”. Give this one another name.`,
    needsName: 'A profile needs a name.',
    most: (n: number): string => `There are ${n} profiles. Delete one first.`,
    noOther: 'There is no other profile to go on with.',
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
    deleteQuestion: (name: string): string => `Delete the profile ${name}?`,
    deleteDetail: (baseUrl: string): readonly string[] => [
      `It is for ${baseUrl === '' ? 'no gateway yet' : baseUrl}. Its key stays until you forget it.`,
      'Batches that were started with it keep their own copy and continue.',
    ],
    deleteIt: 'Delete the profile',
    keepIt: 'Keep it',
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
  },

  telling: {
    nightOver: 'The night is over',
    /** `warning`: what is about to be done, a sentence. */
    openToStop: (warning: string): string => `${warning} Open Nocturne to stop it.`,
    stillOn: 'The night is over, but the computer is still on',
    hasStopped: 'Nocturne has stopped rendering',
    /** `problem`: what is wrong with it, as the end of the sentence. */
    badAddress: (problem: string): string => `The address ${problem}.`,
    secretFirst: 'Enter the secret that signs the messages: a receiver must know who sent them.',
    secretNotKept: 'The secret could not be kept: the data folder or the keyring cannot be written.',
    noProgram: 'This is no program with its arguments.',
    programTooLong:
      'The program and its arguments are longer than 1,000 characters in all: more than you could check. Put them into a script, and enter that.',
    runQuestion: 'Run this program when a night ends or needs you?',
    runWarning:
      'It runs with your rights, without a shell, each line above being one argument. Allow only what you typed yourself.',
    runIt: 'Run it',
    notSet: 'is not set',
    shown: 'shown, if your system does not hold notifications back',
    notShown: 'this system shows no notifications',
    /** `way`: ntfy, webhook or command. */
    failed: (way: string): string => `You could not be told by ${way}`,
    failedDetail: (way: string, why: string): string => `${way}: ${why}. Try it in the settings.`,
  },

  store: {
    backedUp: 'The store is backed up',
    notCopied: 'The store could not be copied',
    onServer: 'The store is on a server.',
    backUpThere: (server: string): string =>
      `${server} is on a server: back it up there, with pg_dump. The documentation says how.`,
    isTheStore: (folder: string): string => `${folder} is the store itself: choose another folder.`,
    partUnreadable: (why: string): string => `This part of the store cannot be read: ${why}`,
    /** `since`: a time of day. */
    away: (server: string, since: string): string =>
      `${server} has not answered since ${since}. Nothing was changed. It is asked every second.`,
    lookEnded: (code: number): string => `The process that looked at the server ended with code ${code}.`,
    passwordInAddress:
      'The address after --store holds a password, which other users of this computer could read. Leave it out: Nocturne asks for it, or takes it from ~/.pgpass.',
    notEncrypted: 'The connection is not encrypted: whoever is between can read it, and may take the password.',
    notProven: 'Nothing proves that it is this server: whoever is between may take the password.',
    connectQuestion: 'Connect to this server?',
    connectDetail: 'Nocturne looks whether a store is there. Nothing on the server is changed.',
    connect: 'Connect',
    noWorker: 'The store on this computer needs no worker.',
    useOwnQuestion: 'Work on this computer’s own store?',
    useServerQuestion: 'Use the store on this server?',
    useIt: 'Use it',
    choiceNotNoted: (why: string): string => `The choice cannot be noted: ${why}`,
    choiceUnderWay: 'Another choice of a store is under way, or Nocturne is closing. Nothing was chosen.',
    nightAtWork:
      'A night is at work on this computer. It ends here in good order: what was sent stays in this computer’s store, and goes on when you come back to it.',
    toServer:
      'Sheets, prompts and results of batches that you make there are kept on the server, for everybody who may read it. Workers render them. The store on this computer stays as it is.',
    leavesServer: 'The store on the server stays as it is, and its workers go on.',
  },

  restore: {
    underWay: 'The backup is being restored.',
    opensAfterwards: 'Nocturne opens when it is in its place.',
    done: 'The backup is restored',
    notDone: 'The backup was not restored',
    maybeNotDone: 'The backup may not be restored',
    batchesInIt: (n: number): string => `${countOf(n, 'batch', 'batches')} in it.`,
    batchesPaused: (n: number): string => `${countOf(n, 'batch', 'batches')} paused.`,
    compare:
      'Rows may wait in it that were paid for since: compare it with the gateway’s own list of tasks before you resume or start a batch. What was paid since counts in no limit of this night or month.',
    keptAside: (files: readonly string[]): string => `What was replaced is kept: ${files.join(', ')}.`,
    beginningNotNoted: (why: string): string => `Its beginning cannot be noted: ${why}`,
    unfinished: (file: string): string =>
      `Nocturne was ended while it put ${file} in the place of the store. The store is whole: either the one from before, or that of the backup, perhaps without its lists and settings. What was replaced is kept beside it. Restore the backup again.`,
    ended: (code: number): string =>
      `The engine’s process ended with code ${code}. Look whether the batches are as you expect them.`,
    atWork:
      'Nocturne is at work: a batch runs, or what is paid for in one still comes. Pause what runs, and wait for the rest; then restore the backup.',
    onServer:
      'This window works on a store on a server, whose backups are put back there. To restore one into the store on this computer, choose that first: Settings, Store.',
    question: 'Put this backup in the place of the store?',
    holds: (batches: number): string => `It holds ${countOf(batches, 'batch', 'batches')}.`,
    bringsProfiles: 'Its profiles, which say where prompts go, come with it.',
    awaited: (n: number): string =>
      `${countOf(n, 'take')} that may be paid for ${n === 1 ? 'has' : 'have'} not come yet. What the backup does not know of them stays at the gateway, and in the store that is kept.`,
    what: 'Nocturne starts anew. The store and the settings as they are now are kept beside them. Every batch that could go on is paused: rows may wait in the backup that were paid for since.',
    restart: 'Restore and restart',
    restartNotNoted: (why: string): string => `The restart cannot be noted: ${why}`,
  },

  updates: {
    inANight:
      'A batch is at work. Nocturne puts no update in place while one is: pause it, or come back when it is done.',
    older: 'The list of releases is older than one that was seen before: somebody may be holding updates back.',
    notHere: (version: string): string => `Version ${version} cannot be fetched here. Look for updates again.`,
    busy: 'Something is being fetched already.',
    notFetched: (version: string): string => `Version ${version} has not been fetched.`,
    overtaken: 'Something else has begun meanwhile.',
    notBackedUp: (why: string): string => `The store could not be backed up, so nothing was changed: ${why}`,
    notBackedUpSo: (why: string): string => `The store could not be backed up, so nothing was changed. ${why}`,
    notNoted: (why: string): string => `The update could not be noted, so nothing was changed: ${why}`,
    onlyReads: (older: string, version: string): string =>
      `Version ${older} can only read the store as version ${version} left it. To render with it, restore a backup that was made before: what was done since is not in it, and rows may wait there that were paid for.`,
    continues: (older: string): string => `Version ${older} continues with the store as it is.`,
    backQuestion: (older: string): string => `Go back to version ${older}?`,
    backedUpFirst: 'The store is backed up first. Nocturne starts anew.',
    goBack: 'Go back and restart',
    isThere: (version: string): string => `Nocturne ${version} is there`,
    isThereDetail: 'What is new, and how to get it, is under Settings → Updates.',
    now: (version: string): string => `This is Nocturne ${version} now`,
    nowDetail: (folder: string, before: string): string =>
      `The store was backed up before, in ${folder} in the data folder. To go back to ${before}, look under Settings → Updates.`,
    notInPlace: (version: string): string => `Nocturne ${version} was not put in place`,
    notInPlaceBut: (why: string | undefined, version: string): string =>
      `${why ?? 'What was to put it in place did not.'} Version ${version} works as before.`,
    answers: (host: string, status: number): string => `${host} answers ${status}.`,
    tooLong: 'What came is too long for a list of releases.',
    unreachable: (host: string, why: string): string => `${host} cannot be reached: ${why}`,
    noList: 'What came is no list of releases.',
    notSigned: 'The list of releases is not signed by the maintainers of this program.',
    notUnderstood: 'This version does not understand the list of releases.',
    moved: 'The program is no longer where it was started from.',
    notWritable: (folder: string): string =>
      `This account may not write to ${folder}, so Nocturne cannot be replaced there. Move it to a folder of yours, or install the new version yourself.`,
    otherFile: 'The file that came is not the one that was released.',
    fetchFailed: (why: string): string => `The file could not be fetched: ${why}`,
  },

  /** What happened to one take of a row, for whoever looks at the row. */
  events: {
    'submit-started': 'The request was recorded and sent.',
    accepted: 'The gateway accepted it.',
    'not-sent': 'Nothing reached the gateway; Nocturne sends it again later.',
    'rate-limited': 'The gateway asked to slow down; Nocturne sends it again later.',
    held: 'The gateway refused for a reason that concerns the whole night; the row keeps its place.',
    rejected: 'The gateway refused it.',
    'outcome-unknown': 'The gateway’s answer was lost: it may have been charged.',
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
export type DesktopWords = typeof desktopWords;
