import { countOf, countText } from '../../domain/base/text.ts';
import { answerWords } from './desktop/answers.ts';

/**
 * What the application says outside its window: menus, the tray, dialogs and notifications of the system, the engine
 * and the store. `why` is a sentence or the system's own words, `file` and `folder` are paths.
 */
export const desktopWords = {
  ...answerWords,
  answerFirst: 'Answer the open question first.',
  notJson: 'This is not JSON.',
  /** After something long was ended early. */
  nothingChanged: 'You cancelled it. Nothing was changed.',
  cannotWrite: (file: string, why: string): string => `${file} cannot be written: ${why}`,
  cannotOpen: (path: string, why: string): string => `${path} cannot be opened: ${why}`,
  /** The name of a copy; that of a copy of a copy gets a number where it is not free. */
  copyOf: (name: string): string => `${name.replace(/ copy(?: \d+)?$/u, '')} copy`,
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
    about: 'About Nocturne and licences',
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
    /** Commands of the window, in fewer words than in its palette. */
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
    /** How far the night is, in one line: `34 of 60 takes`; `end` and `opens` are times of day. */
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
    pleaseCheck: 'Check this',
    dropSheet: (extensions: readonly string[]): string =>
      `Drop a sheet: a file whose name ends with ${extensions.join(', ')}.`,
    dropFile: 'Drop a file, not a folder.',
    dropOne: 'Drop one sheet at a time: none was opened.',
    sheetNotOpened: 'The sheet could not be opened',
    folderNotShown: 'The batch of this folder could not be shown',
    folderUnknown: 'No batch here has this folder',
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
    movesToOther: 'The engine is being restarted on the other store.',
    movedToOther: 'Nocturne now uses another store.',
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
      'The engine did not shut down cleanly. Paid requests that were under way, if there were any, are shown as “outcome unknown” next time; nothing is sent twice. Galleries and manifests may be out of date.',
    unwritten: (batches: readonly string[], more: number): string => {
      const names = [...batches.map((name) => `“${name}”`), ...(more === 0 ? [] : [`${more} more`])];
      return `The gallery, the manifest and the results sheet are out of date for ${names.join(', ')}. To update them, open the gallery of the batch in Nocturne.`;
    },
    notTakenUp: (batch: string): string => `“${batch}” does not go on where it was left`,
    galleryWritten: 'Written since',
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
    noProgram: 'This is not a program with its arguments.',
    programTooLong:
      'The program and its arguments are longer than 1,000 characters in all: more than you could check. Put them into a script, and enter that.',
    runQuestion: 'Run this program when a night ends or needs you?',
    runWarning:
      'It runs with your permissions and without a shell; each line above is one argument. Allow only what you typed yourself.',
    runIt: 'Run it',
    notSet: 'is not set',
    shown: 'shown, unless your system holds notifications back',
    notShown: 'this system shows no notifications',
    /** `way`: ntfy, webhook or command. */
    failed: (way: string): string => `You could not be notified by ${way}`,
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
      `${server} has not answered since ${since}. Nothing was changed. Nocturne asks it again every second.`,
    lookEnded: (code: number): string => `The process that looked at the server ended with code ${code}.`,
    passwordInAddress:
      'The address after --store holds a password, which other users of this computer could read. Leave it out: Nocturne asks for it, or takes it from ~/.pgpass.',
    notEncrypted: 'The connection is not encrypted: anyone in between can read it, and may take the password.',
    notProven: 'Nothing proves that it is this server: anyone in between may take the password.',
    connectQuestion: 'Connect to this server?',
    connectDetail: 'Nocturne checks whether a store is there. Nothing on the server is changed.',
    connect: 'Connect',
    noWorker: 'The store on this computer needs no worker.',
    useOwnQuestion: 'Work on this computer’s own store?',
    useServerQuestion: 'Use the store on this server?',
    useIt: 'Use it',
    choiceNotNoted: (why: string): string => `The choice cannot be saved: ${why}`,
    choiceUnderWay: 'Another choice of a store is under way, or Nocturne is closing. Nothing was chosen.',
    nightAtWork:
      'A night is at work on this computer. It stops here cleanly: what was sent stays in this computer’s store, and continues when you come back to it.',
    toServer:
      'Sheets, prompts and results of batches that you make there are kept on the server, where everybody with access can read them. Workers render them. The store on this computer stays as it is.',
    leavesServer: 'The store on the server stays as it is, and its workers continue.',
  },

  restore: {
    underWay: 'The backup is being restored.',
    opensAfterwards: 'Nocturne opens once the backup is in place.',
    done: 'The backup is restored',
    notDone: 'The backup was not restored',
    maybeNotDone: 'The backup may not be restored',
    batchesInIt: (n: number): string => `${countOf(n, 'batch', 'batches')} in it.`,
    batchesPaused: (n: number): string => `${countOf(n, 'batch', 'batches')} paused.`,
    compare:
      'Some rows waiting in it may have been paid for since: compare it with the gateway’s own list of tasks before you resume or start a batch. What was paid since then counts towards no limit of this night or month.',
    keptAside: (files: readonly string[]): string => `What was replaced is kept: ${files.join(', ')}.`,
    beginningNotNoted: (why: string): string => `The start of the restore cannot be recorded: ${why}`,
    unfinished: (file: string): string =>
      `Nocturne was ended while it was replacing the store with ${file}. The store is intact: it is either the previous one or the one from the backup, perhaps without its lists and settings. What was replaced is kept next to it. Restore the backup again.`,
    ended: (code: number): string =>
      `The engine’s process ended with code ${code}. Check that the batches are as you expect.`,
    atWork:
      'Nocturne is at work: a batch is running, or files that were paid for are still to come. Pause what is running, wait for the rest, then restore the backup.',
    onServer:
      'This window uses a store on a server; its backups are restored there. To restore one into the store on this computer, choose that store first: Settings → Store.',
    question: 'Replace the store with this backup?',
    holds: (batches: number): string => `It holds ${countOf(batches, 'batch', 'batches')}.`,
    bringsProfiles: 'Its profiles, which say where prompts go, come with it.',
    awaited: (n: number): string =>
      `${countOf(n, 'take')} that may have been paid for ${n === 1 ? 'has' : 'have'} not arrived yet. Whatever the backup does not know about them stays at the gateway, and in the store that is kept.`,
    what: 'Nocturne restarts. The current store and settings are kept next to the restored ones. Every batch that could continue is paused: some rows waiting in the backup may have been paid for since.',
    restart: 'Restore and restart',
    restartNotNoted: (why: string): string => `The restart cannot be recorded: ${why}`,
  },

  updates: {
    inANight:
      'A batch is at work. Nocturne does not install an update meanwhile: pause the batch, or come back when it is done.',
    older: 'The list of releases is older than one that was seen before: somebody may be holding updates back.',
    notHere: (version: string): string => `Version ${version} cannot be fetched here. Look for updates again.`,
    busy: 'Nocturne is already looking for a version, or fetching one.',
    notFetched: (version: string): string => `Version ${version} has not been fetched.`,
    overtaken: 'Another step of the update has started in the meantime.',
    notBackedUp: (why: string): string => `The store could not be backed up, so nothing was changed: ${why}`,
    notBackedUpSo: (why: string): string => `The store could not be backed up, so nothing was changed. ${why}`,
    notNoted: (why: string): string => `The update could not be recorded, so nothing was changed: ${why}`,
    onlyReads: (older: string, version: string): string =>
      `Version ${older} can only read the store as version ${version} left it. To render with it, restore a backup that was made before: what was done since is not in it, and some rows waiting there may have been paid for.`,
    continues: (older: string): string => `Version ${older} continues with the store as it is.`,
    backQuestion: (older: string): string => `Go back to version ${older}?`,
    backedUpFirst: 'The store is backed up first. Nocturne then restarts.',
    goBack: 'Go back and restart',
    isThere: (version: string): string => `Nocturne ${version} is available`,
    isThereDetail: 'What is new, and how to get it, is under Settings → Updates.',
    now: (version: string): string => `Nocturne is now version ${version}`,
    nowDetail: (folder: string, before: string): string =>
      `The store was backed up before, in ${folder} in the data folder. To go back to ${before}, look under Settings → Updates.`,
    notInPlace: (version: string): string => `Nocturne ${version} was not installed`,
    notInPlaceBut: (why: string | undefined, version: string): string =>
      `${why ?? 'The update did not take place.'} Version ${version} works as before.`,
    answers: (host: string, status: number): string => `${host} answers ${status}.`,
    tooLong: 'The answer is too long for a list of releases.',
    unreachable: (host: string, why: string): string => `${host} cannot be reached: ${why}`,
    noList: 'The answer is not a list of releases.',
    notSigned: 'The list of releases is not signed by the maintainers of this program.',
    notUnderstood: 'This version does not understand the list of releases.',
    moved: 'The program is no longer where it was started from.',
    notWritable: (folder: string): string =>
      `You may not write to ${folder}, so Nocturne cannot be replaced there. Move Nocturne to a folder of your own, or install the new version yourself.`,
    otherFile: 'The file that arrived is not the one that was released.',
    fetchFailed: (why: string): string => `The file could not be fetched: ${why}`,
  },
};
export type DesktopWords = typeof desktopWords;
