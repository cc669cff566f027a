import { countOf, countText } from '../../domain/base/text.ts';

/** The gallery of files, their delivery, and the players. */
export const galleryWords = {
  title: 'Gallery',
  files: 'Files',
  lookingForFiles: 'Looking for files…',
  someFiles: (n: number): string => `${countText(n)} of its files`,
  /** Files of rows that were removed, which no gallery shows. */
  ofGoneRows: (n: number): string => `${countText(n)} more of removed rows in the folder`,
  ofGoneRowsMeans: 'Opens the folder: the gallery shows files of rows of the sheet only',
  noneLikeThis: 'No files match. Choose other filters above.',
  noneYet: 'No file is verified yet.',
  noneYetRunning: 'No file is verified yet: the first ones appear here.',
  selected: (n: number): string => `${countText(n)} selected`,
  keys: 'Enter reviews · T plays · K keeps · X rejects · 0–5 rates · U takes back · O folder',
  arrived: (n: number): string => countOf(n, 'more file'),
  playThroughMeans: 'T: from the file at the cursor, one after the other; if several are selected, only those',
  openInBrowser: 'Open in browser',
  openInBrowserMeans: 'Open index.html of the media folder: this gallery for others',
  backToBatch: 'Back to the batch',
  /** `name`: that of the file, or how many files there are. */
  said: (name: string, what: string): string => `${name}: ${what} · U takes it back`,
  takenBack: (name: string): string => `${name}: taken back`,
  nothingToTakeBack: 'Nothing to take back',

  filters: {
    operation: 'Operation',
    verdict: 'Verdict',
    anyVerdict: 'Any verdict',
    rating: 'Rating',
    anyRating: 'Any rating',
    stars: (n: number): string => `${n} stars`,
    starsOrMore: (n: number): string => `${n} or more stars`,
    gates: 'Gates',
    flaggedOrNot: 'Flagged or not',
    flaggedByAny: 'Flagged by any gate',
    versions: 'Versions',
    allVersions: 'With earlier versions',
    now: 'Without earlier versions',
    earlier: 'Earlier versions only',
    find: 'Find files',
  },

  menu: {
    label: 'Actions for files',
    review: 'Open in the review',
    showFirstInFolder: 'Show first file in its folder',
    renderAgain: (files: number): string => `Render ${files > 1 ? 'their rows' : 'its row'} again…`,
  },

  tile: {
    gone: 'No longer a file of its row',
    /** The file of a take that has several. */
    takeAndFile: (take: number, file: number): string => `take ${take}, file ${file}`,
    flags: (gates: readonly string[]): string => gates.join(', '),
    flag: (gate: string, message: string): string => `${gate}: ${message}`,
  },

  delivery: {
    deliver: 'Deliver',
    deliverMeans: 'Copies for others',
    title: 'Deliver files',
    about: 'Copies for others, under names of your choice. The media folder stays as it is.',
    underWay: 'Delivering',
    underWayAbout:
      'It continues if you close this. If you cancel, files already delivered stay; a ZIP is complete or not written at all.',
    delivered: 'Delivered',
    closeAndBeTold: 'Close, and be told',
    cancel: 'Cancel delivery',
    openFolder: 'Open folder',
    which: 'Which files',
    kept: 'What you kept',
    keptMeans: (n: number | undefined): string =>
      n === undefined
        ? 'Including files of earlier versions.'
        : n === 0
          ? 'You have kept no file of the sheet as it is now. What you kept of removed rows is added.'
          : `${countOf(n, 'file')}, including earlier versions; what you kept of removed rows is added.`,
    all: 'Every file',
    allMeans: (n: number | undefined): string =>
      `${n === undefined ? 'Of' : `${countOf(n, 'file')} of`} the sheet as it is now, including what you rejected.`,
    template: 'Folders and names',
    templateDefault: 'As in the media folder',
    templateHint: 'Such as {operation}/{row}-{slug}: the language of file names, and each / makes a folder.',
    tags: 'Tags in the copies',
    tagsMeans: 'Title, lyrics, cover, prompt, model, rating and origin.',
    sidecars: 'The same in a file next to each copy',
    sidecarsMeans: 'XMP. Without tags in them, the copies are the originals, byte for byte.',
    timeline: 'A timeline',
    timelineMeans: 'timeline.otio, films and songs in the order of the sheet, for editing programs.',
    noTimeline: 'It has films and songs only, and this batch has none.',
    zip: 'As a ZIP',
    zipMeans: 'One new file, named after the batch, in that folder.',
    to: 'To',
    noFolder: 'No folder is chosen yet.',
    chooseFolder: 'Choose folder…',
  },

  player: {
    play: (name: string): string => `Play ${name}`,
    pause: (name: string): string => `Pause ${name}`,
    mute: 'Mute',
    unmute: 'Unmute',
    times: (speed: number): string => `${speed}×`,
    speed: (speed: number): string => `Speed: ${speed}×`,
    speedMeans: 'Playback speed; in the review and with a file open, < and > change it, too',
    fullScreen: 'Full screen',
    leaveFullScreen: 'Leave full screen',
    placeIn: (name: string): string => `Place in ${name}`,
    /** Times in the recording: `0:05 of 1:07`. */
    placeOf: (at: string, length: string): string => `${at} of ${length}`,
    notHere: 'This file cannot be played here. Open it from its folder.',
    ofWorkers: 'This computer cannot show the file. The folder button says where the workers keep it.',
    copyText: 'Copy the text',
    textCopied: 'The text is copied',
    showInFolder: 'Show in folder',
    noFile: 'This row has no file yet.',
    previous: 'Previous file',
    next: 'Next file',
    fileOf: (at: number, of: number): string => `${at} of ${of}`,
    /** Keys for one kind of file, before those for all kinds. */
    keysOf: {
      music: 'Shift ← → 5 seconds · < > speed',
      video: ', . frames · Shift ← → 5 seconds · < > speed · S full screen',
      image: '+ − zoom · Z pixels · S full screen',
      data: 'Page keys scroll',
    },
    keys: '↑ ↓ rows · ← → files · Space closes',

    /** Files that a row had before it was changed or rendered again, beside those that took their place. */
    versions: {
      compare: 'Compare',
      compareFile: (name: string): string => `Compare ${name} with the file that took its place (C)`,
      title: 'earlier and now',
      none: 'No file of this row has two versions.',
      earlier: 'Earlier',
      /** It took the place of the earlier one, and has been replaced itself. */
      later: 'Later',
      now: 'Now',
      /** Facts of a file, one after the other with a dot between them. `time` is such as `Sat, 21 Nov, 03:40`. */
      isEarlier: 'Earlier version',
      from: (time: string): string => `from ${time}`,
      ofOther: 'made for another request',
      wipe: 'Wipe',
      keys: '↑ ↓ rows · ← → choose · Space plays · B swaps · F shows one alone · C ends',
    },
  },
};
export type GalleryWords = typeof galleryWords;
