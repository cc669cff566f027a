import { countOf, countText } from '../../domain/base/text.ts';
import { answerWords } from './desktop/answers.ts';

/**
 * What the application says beside its window: menus, the tray, dialogs and notifications of the system, the engine and
 * the store. `why` is a sentence or the system's own words, `file` and `folder` are paths.
 */
export const desktopWords = {
  ...answerWords,
  answerFirst: 'Answer the open question first.',
  notJson: 'This is not JSON.',
  /** After something long was ended on its way. */
  nothingChanged: 'You cancelled it. Nothing was changed.',
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
    /** Commands of the window, in fewer words than its palette has for them. */
    commands: {
      review: 'Review',
      gallery: 'Gallery',
      deliver: 'Deliver…',
      resultsCopy: 'Write results to a copy',
      resultsFile: 'Write results to the file…',
      results: 'Write results to a file of your choice…',
      rename: 'Rename…',
      duplicate: 'Duplicate',
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
    dropSheet: (extensions: readonly string[]): string =>
      `Drop a sheet: a file that ends with ${extensions.join(', ')}.`,
    dropFile: 'Drop a file, not a folder.',
    dropOne: 'Drop one sheet at a time: none was opened.',
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
      'A night is at work on this computer. It ends here in good order: what was sent stays in this computer’s store, and continues when you come back to it.',
    toServer:
      'Sheets, prompts and results of batches that you make there are kept on the server, for everybody who may read it. Workers render them. The store on this computer stays as it is.',
    leavesServer: 'The store on the server stays as it is, and its workers continue.',
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
      `Nocturne was ended while it put ${file} in the place of the store. The store is whole: either the one from before, or that of the backup, perhaps without its lists and settings. What was replaced is kept next to it. Restore the backup again.`,
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
    what: 'Nocturne starts anew. The store and the settings as they are now are kept next to them. Every batch that could continue is paused: rows may wait in the backup that were paid for since.',
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
};
export type DesktopWords = typeof desktopWords;
