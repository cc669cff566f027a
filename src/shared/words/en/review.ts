import { countOf, countText } from '../../domain/base/text.ts';

/** The review of what was rendered. A row is called by its id, which is the user's own. */
export const reviewWords = {
  title: 'Review',
  about: 'Files to look at and listen to',
  rowAndOperation: (row: string, operation: string): string => `Row ${row} · ${operation}`,
  playThrough: 'Play through',
  stop: 'Stop',
  fullScreen: 'Full screen (S)',
  /** `3 of 41` */
  placeOf: (at: number, of: number): string => `${countText(at)} of ${countText(of)}`,
  whichRows: 'Rows to review',
  allRows: 'All rows',
  lookingForFiles: 'Looking for files…',
  noFiles: 'No row has a verified file yet.',
  noneLikeThis: 'No rows match. Choose other filters above.',
  /** For users of a screen reader: which file is chosen, and its place in what is played through. */
  chosen: (row: string, at: number, of: number, name: string, through: string | undefined): string =>
    `Row ${row}, file ${countText(at)} of ${countText(of)}: ${name}${through === undefined ? '' : `, ${through} played through`}`,
  /** What has come since; at least one of the two is more than 0. */
  arrived: (rows: number, files: number): string =>
    [rows > 0 ? countOf(rows, 'more row') : '', files > 0 ? countOf(files, 'more file') : '']
      .filter((part) => part !== '')
      .join(', '),
  counts: (decided: number, files: number, kept: number, rejected: number): string =>
    `${countText(decided)} of ${countOf(files, 'file')} decided · ${countText(kept)} kept · ${countText(rejected)} rejected`,
  unstored: (decisions: number): string => `${countText(decisions)} not stored yet`,
  muted: 'muted',
  equallyLoud: 'equally loud',
  measuringLoudness: 'measuring loudness',
  oneMoreTake: 'One more take',
  keysTitle: 'Keys',
  noteUnsaved: 'The note has not been stored.',

  /** The state of a file, and of rows with such files. */
  verdicts: { undecided: 'Undecided', kept: 'Kept', rejected: 'Rejected', picked: 'Picked' },

  /** What is said about one file. */
  verdict: {
    keep: 'Keep',
    keepFile: (name: string): string => `Keep ${name}`,
    reject: 'Reject',
    rejectFile: (name: string): string => `Reject ${name}`,
    pick: 'Pick',
    pickFile: (name: string): string => `Pick ${name}`,
    pickMeans: 'The rows that refer to this row use this file',
    isPicked: 'The rows that refer to this row use this file.',
    ratingOf: (name: string): string => `Rating of ${name}`,
    stars: (stars: number, best: number): string => `${stars} of ${best} stars`,
    starsShort: (stars: number, best: number): string => `${stars} of ${best}`,
    note: 'Note',
    editNote: 'Edit note',
    noteOn: (name: string): string => `Note on ${name}`,
    noteHint: 'Enter stores the note, Escape leaves it',
  },

  /** What was just recorded, or why it was not. `name`: that of the file or the row, or how many files there are. */
  said: {
    kept: 'kept',
    rejected: 'rejected',
    undecided: 'not decided',
    picked: 'picked',
    unpicked: 'no longer picked',
    rated: (stars: number): string => `rated ${stars}`,
    unrated: 'not rated',
    noted: 'noted',
    unnoted: 'note removed',
    all: (parts: readonly string[]): string => parts.join(', '),
    of: (name: string, what: string): string => `${name}: ${what}.`,
    oneMoreTake: (name: string): string => `${name}: one more take, once you agree to its cost.`,
    takenBack: (name: string): string => `${name}: taken back.`,
    refused: (name: string, why: string): string => `${name}: ${why}`,
    takeStays: 'You have agreed to that take, so it stays.',
    noTakeYet: 'One more take can be asked for once this row has a new file.',
    tooEarly: 'The files of this row are still being read: nothing was recorded.',
    firstFile: 'This is the first file.',
    lastFile: 'This is the last file.',
    noPick: 'No row waits for a pick from this one: K keeps the file.',
    noPickOfEarlier: 'A file of an earlier version cannot be picked.',
    aFile: 'A file',
  },

  /** While one file after the other is played. */
  through: {
    unplayable: (name: string): string => `${name} cannot be played here: passed over.`,
    gone: 'A file is no longer there: passed over.',
    nothingToPlay: (name: string): string => `${name} has nothing to play: passed over.`,
    end: (files: number, passedOver: number): string =>
      `The end: ${countOf(files, 'file')}${passedOver === 0 ? '' : `, ${countOf(passedOver, 'file')} passed over`}.`,
  },

  /** Where the files of a row are looked at. */
  stage: {
    files: 'Files of the row',
    allFiles: 'All files of the row',
    choose: (name: string): string => `Choose ${name}`,
    drag: 'drag it into another program',
    paused: 'paused',
    /** The two pictures of a wipe. */
    fromTo: (left: string, right: string): string => `From ${left} to ${right}`,
    peak: (level: string): string => `peak ${level} dBFS`,
    loudnessMeans: 'Its loudness by EBU R128, and its loudest sample',
    lyrics: 'Lyrics',
  },

  deleting: {
    button: 'Delete rejected…',
    ask: (files: number): string => `Delete ${countOf(files, 'rejected file')} for good?`,
    confirm: (files: number): string => `Delete ${countOf(files, 'file')}`,
    decline: (files: number): string => (files === 1 ? 'Keep it' : 'Keep them'),
    earlier: (files: number): string => `Earlier versions among them: ${countText(files)}.`,
    means: (size: string, files: number, wasPaid: boolean): string => {
      const paid = wasPaid ? ` What was paid for ${files === 1 ? 'it' : 'them'} stays paid.` : '';
      return `That frees ${size} on the disk, and nothing brings the ${files === 1 ? 'file' : 'files'} back.${paid}`;
    },
    done: (files: number, size: string): string => `${countOf(files, 'rejected file')} deleted for good: ${size}`,
    left: (files: number): string => `${countOf(files, 'file')} left: changed on the disk, or could not be moved.`,
  },

  /** What each key does. Several keys of a line are listed in the order of the words. */
  keys: {
    file: 'Choose a file; beyond those of the row, one of the next or previous row',
    row: 'Go to the previous or next row',
    decide: 'Keep, reject, pick; again takes it back',
    rate: 'Rate; again takes it back',
    note: 'Write a note; Enter stores it',
    again: 'Ask for one more take of the row; Run, below, shows what all of them cost',
    undo: 'Undo the last decision, and the one before it; Ctrl or ⌘ Z does the same',
    play: 'Play or pause, mute',
    through:
      'Play through: one file after the other, a picture for 5 seconds; the arrows go forward and back, Space pauses, T or Escape ends it',
    seek: 'Five seconds back or forward in a song or film',
    speed: 'Play slower, faster: all songs and films, from half to twice their speed',
    swap: 'Back to the file chosen before, at the same moment: A, B, A …',
    frame: 'Show the previous or next frame of a film; it pauses',
    wipe: 'Lay this picture over the one chosen before, with a line that the arrow keys and the mouse move',
    loudness: 'Play all files of a row equally loud, as loud as the quietest; again plays them as they are',
    large: 'Show this file alone, as large as fits; again, or Escape, shows all side by side',
    screen: 'Fill the screen; S or Escape goes back to the window',
    zoom: 'Zoom in and out of a picture shown alone, as the wheel does; Z shows its pixels as they are, and again the whole picture',
    add: 'Show the rows and files that have come since',
    keys: 'List these keys; close the list, or leave the review',
  },
};
export type ReviewWords = typeof reviewWords;
