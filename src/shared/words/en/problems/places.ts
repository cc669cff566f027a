import { problemsWords } from '../problems.ts';

/** What the address of a place must be, or must not have. */
export type PlaceAddressRule = 'placeAddress' | 'noUser' | 'httpsForFiles';

/** What a file on this computer should be. */
export type WantedMedia = 'image' | 'audio';

const NAMES: Readonly<Record<WantedMedia, string>> = { image: 'picture', audio: 'recording' };

const NAME_IT_THERE = 'Copy it to this one, and name it there.';

/** Why a file of this computer cannot be put. The text before has named the file; each is a sentence. */
export const localFileWords = {
  /** @param type A media type. @param why What is wrong with the file: it follows “It”. */
  broken: (type: string, why: string): string => `It is ${type}, and ${why}.`,
  /** @param is A type of media. */
  otherType: (media: WantedMedia, is: string): string => `It should be a ${NAMES[media]}, and is ${is}.`,
  /** @param why What it is instead: it follows “It”. */
  otherKind: (media: WantedMedia, why: string): string => `It should be a ${NAMES[media]}, and ${why}.`,
  unchecked: (why: string): string => `It ${why}.`,
  folder: 'It is a folder. Name the files in it.',
  pipe: 'It is a pipe, not a file.',
  socket: 'It is a socket, not a file.',
  device: 'It is a device, not a file.',
  notPlain: 'It is not a plain file any more.',
  empty: 'It is empty.',
  tooLarge: (size: string, most: string): string =>
    `It has ${size}, more than the ${most} that its place allows (maxMegabytes).`,
  otherFolder: 'It is in none of the folders that files may come from (folders).',
  grows: 'It grows while it is read.',
  changed: 'It was changed while it was read.',
  /** By codes of the system. */
  EACCES: 'You may not read it.',
  EPERM: 'You may not read it.',
  ELOOP: 'Its path contains a loop of links.',
  ENOTDIR: 'A part of its path is a file, not a folder.',
  ENAMETOOLONG: 'Its path is too long.',
  EIO: 'The disk reports an error.',
  ENOSPC: 'There is no room on the disk for the copy that is put.',
  EDQUOT: 'There is no room on the disk for the copy that is put.',
  ENOENT: 'There is no such file.',
  unreadable: (code: string): string => `It cannot be read (${code}).`,

  /** @param file In quotation marks. @param why A sentence. */
  named: (column: string, file: string, why: string): string => `“${column}” names the file ${file}. ${why}`,
  correctPath:
    'Correct the path or the file. A path that does not begin with a folder begins in that of the sheet; an address begins with https://.',
  /** @param reference In quotation marks. */
  unmakable: (column: string, reference: string, why: string): string =>
    `“${column}” needs ${reference}, a picture that ffmpeg makes of that row’s file: ${why}.`,
  correctPicture: 'Correct that, or use the address of a picture.',
  /** Why no picture can be made, inside a sentence. */
  folderIsBucket: 'its media folder is a bucket, and not on this computer',
  noFfmpeg: 'this computer has no ffmpeg',

  // What a path means
  nul: 'Its path contains a NUL character.',
  elsewhere: 'It is on another computer. Copy it to this one, or to the folder of the sheet, and name it there.',
  elsewhereToo: `It is on another computer. ${NAME_IT_THERE}`,
  ofWindows: 'That is a path of Windows, and this computer has no drives. Name the file as it is called here.',
  noFolderOfDrive:
    'What it means depends on where a program runs. Write the whole path, such as C:\\Pictures\\kite.png.',
  otherHome: 'Of the folders of users, only your own can be named by ~.',
  noStart: 'The sheet has no folder of its own that this could begin in. Write the whole path.',
  noAddress: 'It is no address of a file. Write file:///, and the path behind it.',
  addressOfNone: 'Its address names no file of this computer. Write file:///, and the path behind it.',

  // What may have been meant
  noFolder: 'Its folder is not there either.',
  accents: (name: string): string =>
    `There is “${name}”, whose letters with accents are written in another way: copy its name.`,
  letters: (name: string): string => `There is “${name}”, which differs in capital and small letters.`,
  percent: (name: string): string =>
    `There is “${name}”: only addresses that begin with file: are written with percent signs.`,
  similar: (name: string): string => `There is “${name}”.`,

  // Pictures that are made from files
  notMadeOf: (type: string): string => `It cannot be made of a file that is ${type}.`,
  notOfBucket: 'It can only be made of a file in a folder on this computer.',
  fileGone: (name: string): string => `The file ${name} is not in the media folder any more.`,
  fileChanged: (name: string): string => `The file ${name} was changed since it came.`,
  needsFfmpeg: 'Making it needs ffmpeg on this computer: install it, then retry the row.',
  noCover: 'The song has no cover in it.',
  noFrame: 'The film has no picture.',
  tooSlow: 'ffmpeg took too long to make it.',
  notMade: 'ffmpeg could not make it.',
};
export type LocalFileWords = typeof localFileWords;

/** What a place for files of this computer refuses; each is a sentence. `root` and `name` are addresses. */
export const filesPlaceWords = {
  command: (program: string): string => `the command ${program}`,
  namesTaken: 'Other files have all its names there. Give a folder or a prefix of its own.',
  otherContent: (name: string): string => `What ${name} gives is not the file that was put there.`,
  nowhere: (name: string): string => `${name} leads from address to address, and nowhere.`,
  /** @param code The system’s, or what `noReason` says. */
  silent: (root: string, code: string): string => `${root} does not answer (${code}).`,
  noReason: 'no reason is known',
  secret: (name: string, status: number): string =>
    `${name} cannot be read without a password (HTTP ${status}), so that no gateway can read it. Name an address where everybody can: publicUrl.`,
  notGiven: (name: string, status: number): string => `${name} does not give what was put there (HTTP ${status}).`,
  slowPut: (minutes: number): string => `Putting it there took longer than ${minutes} minutes.`,
  slowRead: (minutes: number, name: string): string => `Reading ${name} took longer than ${minutes} minutes.`,
  slowDelete: (minutes: number): string => `Deleting it took longer than ${minutes} minutes.`,
  /** @param why A sentence. */
  notDeleted: (place: string, why: string): string => `Not deleted at ${place}: ${why}`,
  needsDelete: 'To delete, it needs s3:DeleteObject as well.',

  refused: (root: string, status: number): string =>
    `${root} refuses user or password (HTTP ${status}). Correct them in the file of --files-place, in NOCTURNE_FILES_PASSWORD or in the file that passwordFile names.`,
  noFolder: (root: string, status: number): string =>
    `${root} is not there (HTTP ${status}). Make that folder, or correct url.`,
  noWebdav: (root: string, status: number): string => `${root} takes no files (HTTP ${status}). Is it a WebDAV folder?`,
  tooLarge: (root: string): string => `The file is larger than ${root} allows (HTTP 413).`,
  full: (root: string): string => `There is no room left at ${root} (HTTP 507).`,
  leadsElsewhere: (root: string, status: number): string =>
    `${root} leads elsewhere (HTTP ${status}). Give the address that it leads to.`,
  answered: (root: string, status: number): string => `${root} answered with HTTP ${status}.`,

  /** @param how How it ended, as `program` says. */
  ended: (program: string, how: string): string => `${program} ${how}.`,
  /** @param what What it did instead: it follows “and”. */
  notPrinted: (program: string, what: string): string => `${program} should print one address, and ${what}.`,
  printedNothing: 'printed nothing',
  printedMore: 'printed more than that',
  printed: (text: string): string => `printed “${text}”`,
  printedWrong: (rule: PlaceAddressRule): string => `what it printed ${problemsWords.must[rule]}`,
  noDeleter: 'No command that deletes is named.',

  // The file that describes it
  /** @param lines One line for each problem. */
  fileUnusable: (file: string, lines: string): string => `The file ${file} cannot be used:\n${lines}`,
  /** @param why What is wrong with the address of the bucket. */
  fileBucket: (file: string, why: string): string => `${file}, s3.bucket: ${why}`,
  fileNotRegular: (file: string): string => `${file} is not a regular file.`,
  fileTooLarge: (file: string): string => `${file} is too large.`,
  fileNotText: (file: string): string => `${file} is not a text file.`,
  fileNotJson: (file: string, why: string): string => `${file} is not JSON: ${why}`,
  fileUnreadable: (file: string, why: string): string => `${file} cannot be read: ${why}`,
  /** What to do about a place that cannot be used. */
  nameJson: 'Name a JSON file.',
  nameBucket: 'Give it as s3://BUCKET/PREFIX.',
  namePassword: 'Name a file that holds the password and nothing else.',
  fields: 'The documentation has its fields: “Files on this computer”.',

  passwordNotPlain: (file: string): string => `The file of the password, ${file}, is not a plain file.`,
  passwordOpen: (file: string): string =>
    `The file of the password, ${file}, can be read by other users of this machine: chmod 600 ${file}`,
  passwordUnreadable: (file: string, why: string): string =>
    `The file of the password, ${file}, cannot be read (${why}).`,
};
export type PlaceWords = typeof filesPlaceWords;

/** How a program that Nocturne ran has ended: it follows the name of the program. */
export const programWords = {
  well: 'ended well',
  /** @param code A number, or the name of a signal. @param says Its last words; empty if it said nothing. */
  code: (code: string, says: string): string => `ended with code ${code}${says === '' ? '' : `: ${says}`}`,
  signal: (signal: string, says: string): string => `ended with signal ${signal}${says === '' ? '' : `: ${says}`}`,
  late: (seconds: number): string => `was ended after ${seconds} s`,
  notThere: 'could not be started: there is no such program',
  noProgram: 'could not be started: it is no program that may be run',
  /** @param code The system’s; empty if there is none. */
  notStarted: (code: string): string => `could not be started${code === '' ? '' : ` (${code})`}`,
};
export type ProgramWords = typeof programWords;
