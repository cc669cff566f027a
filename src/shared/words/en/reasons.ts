import { asSentence, countOf, countText } from '../../domain/base/text.ts';
import { nightsWords } from './nights.ts';
import { operationsWords } from './operations.ts';
import { gateWords, mediaWords } from './problems/media.ts';
import { listWords, reviewRefusals, unsavedWords } from './problems/refusals.ts';
import { storeRemedies, storeWords } from './problems/stores.ts';
import { localFileWords, filesPlaceWords, programWords } from './problems/places.ts';

export type CapOf = 'account' | 'batch' | 'night' | 'month';

const CAP_OF: Readonly<Record<CapOf, string>> = {
  account: 'this account',
  batch: 'this batch',
  night: 'one night',
  month: 'one month',
};

/** @param account The name of the account that it is about; empty where it was not recorded. */
function capOf(of: CapOf, account: string): string {
  return of === 'account' && account !== '' ? `the account “${account}”` : CAP_OF[of];
}

const RIGHTS = 'Its rights must include s3:GetObject, s3:PutObject and s3:ListBucket.';
const CREDENTIALS =
  'Nocturne takes them as AWS’s own tools do, from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or AWS_PROFILE.';
const DOUBT = 'so the request may have been accepted and charged.';

/**
 * What is said about failures, by names that are recorded with the failures and their facts: once a text is released,
 * its name and facts stay as they are. A fact may be the name of another text, with its own facts.
 */
export const reasonsWords = {
  /** Somebody else’s words, as they are. */
  words: (text: string): string => text,
  /** An error of the system, by its code, which may be empty. */
  system: (_code: string, message: string): string => message,
  both: (first: string, second: string): string => `${asSentence(first)} ${second}`.trim(),

  // Requests
  notReached: (why: string): string => `Nothing was sent because the gateway could not be reached: ${why}.`,
  noAnswerToSubmit: (why: string): string =>
    `The request was sent, but no answer came: ${why}. It may have been accepted and charged.`,
  noAnswer: (why: string): string => `The gateway gave no answer: ${why}.`,
  deadline: (seconds: number): string => `the deadline of ${seconds} s passed`,
  aborted: 'the request was aborted',
  /** Why an answer is not whole, inside a sentence. */
  cut: {
    tooLong: 'it is longer than 1 MiB',
    damaged: 'its compressed data is damaged or incomplete',
    notText: 'it is not text',
  },
  cutEncoding: (encoding: string): string => `its encoding (${encoding}) cannot be read`,
  plainHttp: (address: string): string => `plain http would send the key unencrypted to ${address}; use https`,
  unansweredBody: (httpStatus: number, body: string): string => `The gateway answered HTTP ${httpStatus} with ${body}.`,
  /** What a body that cannot be read is, as the end of a sentence. */
  body: {
    brokenOff: 'a body that broke off',
    notWhole: 'an incomplete body',
    notObject: 'JSON that is not an object',
    empty: 'an empty body',
    webPage: 'a web page instead of JSON',
    notJson: 'a body that is not JSON',
  },
  bodyTooDeep: (levels: number): string => `JSON of more than ${levels} levels`,
  bodyBecause: (body: string, why: string): string => `${body}: ${why}`,
  saidNothing: (httpStatus: number, code: string): string =>
    `The gateway answered HTTP ${httpStatus}${code === '' ? '' : `, code ${code}`} and said nothing else.`,
  redirectsElsewhere: 'It redirects elsewhere.',
  balanceNowhere: 'The profile does not say where the gateway reports the balance.',
  noAmount: (field: string): string => `The answer holds no amount at ${field}.`,
  redirects: 'It redirects elsewhere, and Nocturne does not follow redirects.',
  noSuchOperation: 'There is no such operation at this address: check the base URL.',
  mayBeCharged: 'The request may have been accepted and charged.',
  saysBoth: `The answer says both success and failure, ${DOUBT}`,
  namesBoth: `The answer names both a task code and a failure, ${DOUBT}`,
  codeElsewhere: `The answer names a task code, but not where the profile has it, ${DOUBT}`,
  holdsResult: `The answer holds a result that Nocturne does not understand, ${DOUBT}`,
  saysAccepted: `The answer says that something was accepted, ${DOUBT}`,
  noTaskCode: `The answer names no task code, ${DOUBT}`,
  refusedInWords: (times: number): string =>
    `The gateway refused it ${times} times, but never with HTTP 429: each request may have been accepted and charged.`,
  otherTasksRecord: (taskId: string): string =>
    `The gateway answered with the record of another task (${taskId}); it was set aside.`,
  nothingGiven: (media: string): string => `The gateway gave no ${media}, and did not say why.`,
  keyOfWorker: (says: string, worker: string): string => `${asSentence(says)} It is the key of worker ${worker}.`,
  keyUnsendable: 'The key contains characters that cannot be sent. Enter it again.',
  codeUnsendable: 'The task code cannot be put into an address in the way that the profile asks for (taskCode).',
  keyReplaced: 'Nothing was sent because the key was replaced before it left.',
  /** Why a request that was chosen did not leave. */
  heldBack: {
    account: 'Nothing was sent because another process may have its account by now.',
    sleep: 'Nothing was sent because the computer went to sleep before it left.',
    window: 'Nothing was sent because the window closed before it left.',
    paused: 'Nothing was sent because you paused the batch before it left.',
    notNoted: 'Nothing was sent because the store did not confirm in time that it had recorded the request.',
  },
  costsAlready: (cost: string, says: string): string =>
    `The gateway refused it for now, and says that it has cost ${cost}: ${says}`,
  duplicateCode: (taskCode: string): string =>
    `The gateway answered with a task code that already belongs to another task: ${taskCode}`,
  nocturneEnded: 'Nocturne ended while the request was under way.',
  lateCode: (taskCode: string): string => `Its answer came late and names the task code ${taskCode}: adopt that.`,
  overdue: (hours: number): string => `The gateway had not finished it ${hours} h after it was submitted.`,

  // Requests that are sent again under their keys
  sentAgain: 'Its request is sent again under its key.',
  toTryKeys: (taskCode: string): string =>
    `The gateway accepted it as ${taskCode}. To try the keys of this gateway, the request is sent once more under the same key.`,
  /** Why it is not sent again, inside a sentence. */
  notAgainNow: {
    noKey: 'its key is not known',
    notKept: 'the profile no longer says that the gateway keeps such keys',
    chargesTwice: 'the gateway was found to charge twice for one key',
    sentSomewhere: 'it was sent to an address that is not known',
    otherKey: 'it was sent with another account key',
    forgotten: 'the gateway no longer knows the key',
  },
  sentInHeader: (header: string): string => `it was sent in the header ${header}, and the profile has another one now`,
  sentTo: (address: string): string => `it was sent to ${address}`,
  notAgain: (why: string): string => `It is not sent again under its key: ${why}.`,
  clockSetBack: 'the clock was set back, so that may be too late',
  asDuplicate: (says: string): string =>
    `The gateway refused it as a duplicate of the first: that one was accepted and charged. ${says}`.trim(),
  stillUnknown: (says: string): string => `Sent again under its key, it is still unknown: ${says}`,
  twoCodes: (first: string, second: string): string =>
    `The gateway gave two task codes for one key, ${first} and ${second}: it charges twice, whatever its profile says. Nocturne sends nothing again under a key there.`,
  unconfirmed: (taskCode: string, why: string): string =>
    `It named ${taskCode}, which the gateway did not confirm: ${why}`,

  // Task codes that are not adopted
  adoption: {
    decided: 'This row was decided in the meantime.',
    nothing: 'There is nothing to settle.',
    lookAgain: 'Look at the row again.',
    lookUp: 'Look up this row’s own code at the gateway.',
    tryAgain: 'Try again.',
    tryLater: 'Try again in a moment.',
    enterKey: 'Enter the key, then try again.',
    checkKey: 'Check the key, then try again.',
    checkCode: 'Check the code.',
    checkCodeAgain: 'Check the code, then try again.',
  },
  nothingUnknown: (row: string): string => `Row ${row} has no request whose outcome is unknown.`,
  /** @param take 0 for another row. @param batch Empty for the same one. */
  codeBelongsTo: (row: string, take: number, batch: string): string =>
    `That code already belongs to ${take === 0 ? '' : `take ${take} of `}row ${row}${batch === '' ? '' : ` of the batch “${batch}”`}.`,
  gatewaySilent: (says: string): string => `The gateway gave no answer: ${says}`,
  unknownCode: (taskCode: string): string => `The gateway knows no task ${taskCode}.`,
  gatewayBusy: (says: string): string => `The gateway asked Nocturne to slow down: ${says}`,
  keyRejected: (says: string): string => `The gateway rejected the key: ${says}`,
  gatewayRefused: (says: string): string => `The gateway refused: ${says}`,

  // Why a batch is paused
  capRequests: (of: CapOf, limit: number, account = ''): string =>
    of === 'batch'
      ? `This batch has used all ${countOf(limit, 'paid request')} of its limit.`
      : `You allow ${countOf(limit, 'paid request')} for ${capOf(of, account)}, and none of them is left.`,
  capProbe: (of: CapOf, limit: number, spent: number, charges: number, account = ''): string =>
    `A probe may come to ${countOf(charges, 'paid request')}. You allow ${countText(limit)} for ${capOf(of, account)}, and ${countText(spent)} of them ${spent === 1 ? 'is' : 'are'} used.`,
  capCost: (of: CapOf, limit: string, spent: string, isProbe: boolean, account = ''): string =>
    `You allow ${limit} for ${capOf(of, account)}. ${spent} of that is used, and ${isProbe ? 'a probe, which may be charged twice, does not fit' : 'no waiting request fits'} into the rest.`,
  capDearer: (cost: string, operation: string): string =>
    `The gateway charges up to ${cost} for ${operation}, more than the price in the profile.`,
  capUnpriced: (requests: number): string =>
    `${countOf(requests, 'more paid request')} had no price and ${requests === 1 ? 'is' : 'are'} not counted in that.`,
  /** @param more How many operations there are besides those named. */
  noPrice: (of: CapOf, limit: string, currency: string, operations: string, more: number, account = ''): string =>
    `You allow ${limit} for ${capOf(of, account)}, but the profile has no price in ${currency} for ${operations}${more > 0 ? ` and ${more} more` : ''}.`,
  /** @param name Of one of several accounts; empty otherwise. */
  noKey: (origin: string, name: string): string =>
    `No key is stored for ${name === '' ? origin : `the account “${name}” at ${origin}`}.`,
  noOwnKey: (origin: string, name: string): string =>
    `No key is known for ${name === '' ? origin : `the account “${name}” at ${origin}`}, which has one of its own there.`,
  failureTitle: (code: string): string => nightsWords.failures[code as keyof typeof nightsWords.failures].title,
  titled: (title: string, text: string): string => asSentence(`${title}: ${text}`),
  failedAlike: (requests: number, title: string, says: string): string =>
    `The last ${countText(requests)} requests failed in the same way, “${title}”: ${asSentence(says)}`,
  failedOfLast: (failed: number, requests: number): string => `${failed} of the last ${requests} requests failed.`,
  /** @param rows Some of the rows. @param more How many others there are. */
  rowsNamed: (rows: string, more: number): string => `Rows: ${rows}${more > 0 ? ` and ${countText(more)} more` : ''}.`,
  unknownInARow: (requests: number, says: string): string =>
    `The outcomes of ${requests} consecutive paid requests are unknown: ${says}`,
  inVainAgain: (requests: number, says: string): string =>
    `${requests} consecutive requests that were sent again under their keys got no answer either: ${says}`,
  noFilesArrive: (files: number): string =>
    `None of the last ${files} files arrived, so Nocturne makes no paid requests until one does.`,
  /**
   * Rows of a kind: `music with prompt, title`. @param model Empty if they name none. @param columns Those of their
   * cells.
   */
  rowKind: (operation: string, model: string, columns: string): string =>
    `${operation}${model === '' ? '' : ` model ${model}`}${columns === '' ? '' : ` with ${columns}`}`,
  canaryUnknown: (kind: string, row: string): string =>
    `The first row of its kind (${kind}), row ${row}, has an unknown outcome.`,
  canaryFailed: (kind: string, row: string, why: string): string =>
    `The first row of its kind (${kind}), row ${row}, failed: ${why}`,
  canaryWaits: (requests: number): string =>
    `${countOf(requests, 'paid request')} of this kind ${requests === 1 ? 'was' : 'were'} not made.`,
  moment: nightsWords.schedule.moment,
  weekday: (weekday: string): string =>
    nightsWords.schedule.dayNames[weekday as keyof typeof nightsWords.schedule.dayNames],
  notFinishedBy: (by: string, takes: number, isOver: boolean): string =>
    `It was to finish by ${by}. ${countOf(takes, 'take')} ${takes === 1 ? 'was' : 'were'} not submitted${isOver ? '' : `, because ${takes === 1 ? 'it is not' : 'none of them is'} expected to be done by then`}.`,
  restored: (folder: string): string => `${folder} was restored from a backup.`,
  olderCopy: (folder: string): string => `${folder} is an older copy of a store that has been used since.`,
  store: storeWords,
  storeRemedy: storeRemedies,
  storeUnwritable: (why: string): string => `Nocturne cannot write to its store: ${why}`,

  // Rows that refer to others, and to files
  refersTo: (row: string, why: string): string => `It refers to row “${row}”, which ${why}`,
  refersOn: (row: string, root: string, why: string): string =>
    `It refers to row “${row}”, which needs row “${root}”, which ${why}`,
  /** Why a row gives nothing: each text follows the name of the row. */
  rowCancelled: 'was cancelled.',
  rowFailed: (why: string): string => `failed: ${why}`,
  rowFailedSomehow: 'failed: no reason is known.',
  rowNotThere: 'is not in the sheet.',
  rowSkipped: 'is marked to be skipped.',
  rowNotRun: 'has not run: it has an error or was never started.',
  otherAccount: (row: string, maker: string, name: string): string =>
    `A row cannot refer to tasks of different accounts: row “${row}” was made on the account “${maker}”, and this row goes to “${name}”, which does not know that task.`,
  /** @param rows In quotation marks. */
  givesKey: (rows: string, isOne: boolean): string =>
    `What ${isOne ? `row ${rows}` : `one of rows ${rows}`} gave contains your gateway key, so Nocturne does not send it on.`,
  givesUnsendable: (rows: string, isOne: boolean): string =>
    `What ${isOne ? `row ${rows}` : `one of rows ${rows}`} gave contains NUL characters or incomplete characters, which cannot be sent.`,
  addressHoldsKey: 'The address of a file contains your gateway key, so Nocturne does not send it on.',
  noFilesPlace: (column: string, isPicture: boolean): string =>
    `“${column}” ${isPicture ? 'needs a picture that is made here' : 'names a file on this computer'}, and no place was named for it: nocturne resume BATCH --files-place FILE.`,
  /** @param written In quotation marks. */
  fileGone: (column: string, written: string, row: string, isDeleted: boolean): string =>
    `“${column}” needs ${written} from row ${row}, but ${isDeleted ? 'its file was deleted' : 'its file did not arrive'}.`,
  /** @param why A sentence that begins small. */
  localFile: (column: string, file: string, isPicture: boolean, place: string, why: string): string =>
    `“${column}” ${isPicture ? 'needs' : 'names the file'} ${file}, for ${place}: ${why}`,
  list: listWords,
  review: reviewRefusals,
  unsaved: unsavedWords,
  file: localFileWords,
  place: filesPlaceWords,
  program: programWords,
  placeNotNamed: 'that place was never named on this computer. Name it once: nocturne resume BATCH --files-place FILE.',
  writtenOff: 'Written off by the user; it may have been charged.',
  outputLost: 'An output was lost for an unknown reason.',
  notTidied: (why: string): string => `A rejected file was not moved or removed: ${why}`,
  unexpected: 'Something unexpected went wrong with it.',

  // Files of the gateway
  addressExpired: (httpStatus: number): string =>
    `The file’s address no longer works: the server answered HTTP ${httpStatus}.`,
  notDownloaded: (why: string): string => `The file could not be downloaded: ${why}.`,
  notDownloadedHttp: (httpStatus: number): string =>
    `The file could not be downloaded: the server answered HTTP ${httpStatus}.`,
  notFetched: (why: string): string => `The file was not fetched: ${why}.`,
  /** Why a download broke off, inside a sentence. */
  transport: {
    noHost: 'the host name could not be resolved',
    refused: 'the host refused the connection',
    notInTime: 'the host could not be reached in time',
    brokeOff: 'the connection broke off',
    fewerBytes: 'fewer bytes arrived than were announced',
    tooLong: 'it took too long',
    addressHoldsKey: 'its address contains your gateway’s key, which nobody else may see',
    notHttp: 'the answer was not valid HTTP',
    redirectsToKey: 'it was redirected to an address that contains your gateway’s key',
  },
  notTrusted: (code: string): string => `the host’s certificate is not trusted (${code})`,
  stalled: (seconds: number): string => `nothing arrived for ${seconds} s`,
  redirectedOften: (times: number): string => `it was redirected more than ${times} times`,
  redirectRefused: (why: string): string => `it was redirected to a refused address: ${why}`,
  privateAddress: (place: string, host: string): string =>
    `${place} is an address inside a private network; if the gateway keeps its files there, add ${host} to media.allowHosts in the profile`,
  connectionFailed: (code: string): string => `the connection failed (${code})`,
  /** Why an address is not fetched, inside a sentence. */
  mediaUrl: {
    notAddress: 'it is not a web address',
    credentials: 'it contains a user name or a password',
    downgrade: 'it leads from https to http',
  },
  otherScheme: (scheme: string): string =>
    `only http and https addresses are fetched, but this one begins with ${scheme}`,
  otherPart: 'The server sent a part of the file that Nocturne did not ask for.',
  noFile: 'The server sent no file.',
  emptyFile: 'The server sent an empty file.',
  brokeOffAfter: (bytes: number, why: string): string => `The download broke off after ${bytes} bytes: ${why}.`,
  fewerThanSaid: (declared: number, bytes: number): string =>
    `The server announced ${declared} bytes and sent ${bytes}.`,
  fileTooLarge: 'The file is larger than media.maxBytes in the profile allows, and was not kept.',
  fileCompressed: 'The server compressed the file, although it was asked not to.',
  sameFile: 'The server sent the same file as for another output of this task.',
  fileComplete: 'The file is complete.',
  fileIncomplete: 'The download is not a complete media file.',
  fileHoldsKey: 'It contains your gateway’s key, so it was not kept.',
  fileReplaced: 'The file was replaced in the folder before Nocturne could rename it.',
  /** @param why What is wrong with the file, in the words of its check: it follows “The file”. */
  fileBroken: (type: string, why: string): string => `The file, as ${type}, ${why}.`,
  fileUnknown: (why: string): string => `The file ${why}.`,
  fileNoEnd: 'The server gave no length, and this kind of file does not say where it ends, so it may be incomplete.',
  media: mediaWords,
  gate: gateWords,
  gateTitle: (code: string): string => operationsWords.gates[code as keyof typeof operationsWords.gates].title,
  /** Why the files of a row should be looked at. */
  rowWarning: {
    sharedAddress: (row: string): string => `The gateway gave the same address for this row as for row ${row}.`,
    sameContent: 'The gateway gave the same file twice for one request of this row.',
    mostOutputs: (most: number): string =>
      `The gateway gave ${most} files for one request of this row, and perhaps more: Nocturne fetches no more than that.`,
    /** @param title The gate’s. @param found A sentence. @param others How many other flags there are. */
    flagged: (title: string, path: string, found: string, madeAgain: number, others: number): string =>
      `${madeAgain === 0 ? '' : `Rendered again ${countOf(madeAgain, 'time')}, and still: `}${title}: ${path}. ${found}${others === 0 ? '' : ` And ${countOf(others, 'more flag')} for files of this row.`}`,
  },
  keptAs: (path: string): string => `It was kept as ${path}.`,
  notKeptAgain: 'It was not kept, because earlier versions already are.',
  notKept: (why: string): string => `It was not kept: ${why}`,

  // Folders and disks
  diskFull: (place: string): string => `There is no room left on the disk of ${place}.`,
  roomLeft: (mebibytes: number, folder: string): string => `Only ${mebibytes} MiB is left on the disk of ${folder}.`,
  unusable: (place: string, why: string): string => `${place} cannot be used: ${why}.`,
  /** By codes of the system. */
  disk: {
    EACCES: 'you may not write to it',
    EPERM: 'you may not write to it',
    EROFS: 'it is on a read-only disk',
    ENOENT: 'it is missing (was a disk unplugged?)',
    ENOTDIR: 'a part of its path is a file, not a folder',
    EEXIST: 'something that is not a folder, such as a file or a pipe, has its name',
    EISDIR: 'there is a folder where a file should be',
    ELOOP: 'its path contains a loop of links',
    ENAMETOOLONG: 'its path is too long for this disk',
    EFBIG: 'the file is larger than this disk allows',
    EIO: 'the disk reports an error',
    EXDEV: 'it is spread over two disks',
    NO_THREAD:
      'the part of Nocturne that writes to it ended or could not be started (is the computer short of memory?)',
  },
  notPlain: (path: string): string => `${path} is a link, a pipe, a device or a folder where a plain file should be`,
  leadsOut: (path: string): string => `${path} is a link that leads out of the media folder`,
  leadsOutOfDelivery: (path: string): string => `${path} leads out of the folder of the delivery through a link`,
  notFolder: (path: string): string => `${path} is a file, or a link that leads nowhere, where a folder should be`,
  identityDamaged: (path: string): string =>
    `${path}, by which Nocturne recognises this folder, is damaged or is being written. If it stays like this, remove that file.`,
  otherFolder: (folder: string, why: string): string => `${folder} is no longer the same folder: ${why}.`,
  /** Why the folder is a different one, inside a sentence. */
  another: {
    noMark: 'it does not have Nocturne’s mark',
    otherMark: 'it has the mark of another folder',
    noFiles: 'none of its files is there',
    changed: 'it was changed in the meantime',
    notWritten: 'what Nocturne wrote to it is not there',
  },
  folderUnknown: (folder: string): string =>
    `No worker has worked in ${folder} yet, so it is not known which folder that is.`,
  folderElsewhere: (folder: string): string =>
    `The files of this batch are not in ${folder} on this computer: the workers have another folder there. Is their disk or share not mounted here?`,
  notMounted: 'Is its disk or share not mounted?',
  otherServer: 'Is it another bucket or another server of that name, or was it emptied?',
  replaced:
    'Nocturne continues by itself once it is. Resume to use this folder instead: files that are only in the old one are not brought over, and nocturne verify names them.',
  alreadyExists: (path: string): string => `${path} already exists and is a different file. Choose an empty folder.`,
  missingFile: (path: string): string => `${path} is missing, or is not the file that was downloaded.`,
  writtenByOthers: (path: string): string => `${path} cannot be written: another program keeps writing to it.`,

  // Deliveries, and other things that are asked for
  noBatch: (id: string): string => `No such batch: ${id}`,
  noSuchBatch: 'There is no such batch.',
  zipExists: (path: string): string => `${path} already exists: a ZIP is neither added to nor replaced.`,
  zipTooLarge: (files: number, size: string): string =>
    `${countText(files)} files of ${size} are too much for a ZIP, which takes 4 GiB and 65,535 files. Deliver a folder.`,
  /**
   * @param name The batch’s; empty if it is not known. @param inside Where in its folder; empty for the folder itself.
   */
  deliversIntoMedia: (place: string, name: string, inside: string): string => {
    const whose = name === '' ? 'a batch' : `“${name}”`;
    const what =
      inside === '' ? `is the media folder of ${whose}` : `is inside the media folder of ${whose}, ${inside}`;
    return `${place} ${what}: a delivery goes into a folder of its own, outside the media folder.`;
  },
  templateUnusable: (why: string): string => `The template cannot be used. ${why}`,
  partsNotOurs: (path: string): string =>
    `${path} is a link or belongs to another user: remove it, or choose another folder.`,
  foreignPackage: (path: string): string =>
    `${path} already exists and is not a package that Nocturne wrote, or it names a file outside its folder.`,
  documentsUnwritten: (why: string): string => `The documents could not be written: ${why}`,

  /** What came of telling somebody; it follows the name of the way. */
  told: {
    accepted: (status: number): string => `accepted with HTTP ${status}`,
    refused: (status: number): string => `refused with HTTP ${status}`,
    leadsElsewhere: (status: number): string =>
      `answered with HTTP ${status}, a redirect: enter the address that it leads to`,
    late: (seconds: number): string => `no answer within ${seconds} s`,
    plainHttp: (where: string): string => `plain http would cross the network to ${where}; use https`,
    someAddress: 'an unknown address',
    /** @param code The system’s; empty if there is none. */
    notReached: (code: string): string => `could not be reached${code === '' ? '' : ` (${code})`}`,
    notSet: 'is not set',
    noSecret: 'has no signing secret: enter it again',
    atAttempt: (says: string, attempt: number): string => `${says}, at attempt ${attempt}`,
  },
  /** @param why What each system command said. */
  notAsleep: (why: string): string => `The computer could not be put to sleep. ${why}`,
  notShutDown: (why: string): string => `The computer could not be shut down. ${why}`,

  // Buckets
  bucketOfOther: (folder: string): string =>
    `${folder} is in a bucket: only the batch that has it as its media folder writes there.`,
  bucketKeepsRejected: (folder: string): string =>
    `${folder} is in a bucket: rejected files stay where they are, and nothing is deleted.`,
  /** Addresses of media folders in a bucket, as they are written. */
  bucketAddress: {
    noName: (address: string): string =>
      `${address} does not name a bucket: a bucket’s name has 3 to 63 lower-case letters, digits, dots and hyphens.`,
    emptyPart: (address: string): string => `${address} has an empty part, “.” or “..” in its path.`,
    controls: (address: string): string => `${address} has a control character or a backslash in its path.`,
    tooLong: (address: string, bytes: number): string => `${address} is longer than ${bytes} bytes.`,
  },
  bucketFull: (what: string): string => `There is no room left at ${what}: the server’s quota is used up.`,
  /** @param doing What was tried, such as `writing`. @param why A sentence that begins small. */
  bucketRefused: (what: string, doing: string, why: string): string => `${what} cannot be used (${doing}): ${why}`,
  /** By the server’s codes: what is wrong, and what to do about it. */
  bucket: {
    NoSuchBucket: 'there is no such bucket on this server. Create it, or correct its name or AWS_ENDPOINT_URL.',
    AccessDenied: `the access key may not do that. ${RIGHTS}`,
    AllAccessDisabled: `nobody may use it. ${RIGHTS}`,
    AccountProblem: 'its account has a problem that its provider has to settle.',
    InvalidAccessKeyId: `the server does not know the access key. ${CREDENTIALS}`,
    SignatureDoesNotMatch: `the secret key does not belong to the access key. ${CREDENTIALS}`,
    ExpiredToken: `the credentials have expired. ${CREDENTIALS}`,
    InvalidToken: `the session token is not valid. ${CREDENTIALS}`,
    RequestTimeTooSkewed: 'the clocks of this computer and the server differ too much. Set the clock of this computer.',
    NotImplemented:
      'the server does not support conditional writes (If-None-Match), which Nocturne needs so that nothing is ever replaced.',
    InvalidObjectState: 'the file is archived, and has to be restored before it can be read.',
    EntityTooLarge: 'a file is larger than the server allows.',
    BadDigest:
      'what arrived is not what was sent, several times. Is something between here and the server changing it?',
    KeyTooLongError: 'a name is longer than the server allows. Give a shorter path in the bucket.',
  },
  /** @param region Empty if it is not known. */
  bucketElsewhere: (region: string): string =>
    `the bucket is in ${region === '' ? 'another region' : `the region ${region}`}. Set AWS_REGION to that region, and AWS_ENDPOINT_URL to an address in it.`,
  bucketLater: (answer: string): string => `the server asked Nocturne to try again later (${answer}).`,
  bucketCredentials: `the server does not accept the credentials. ${CREDENTIALS}`,
  bucketOther: (answer: string): string => `the server refused it (${answer}).`,
  bucketSilent: (what: string, endpoint: string, why: string): string =>
    `${what} cannot be used: ${endpoint} does not answer (${why}). Is the network there, and is the address right?`,
  bucketReplaces: (address: string): string =>
    `${address} cannot be used: its server replaces a file even when told not to (If-None-Match), so nothing keeps Nocturne from replacing somebody else’s. Use a server that supports conditional writes.`,
  noRegion: 'No region is set for the bucket. Set AWS_REGION, or AWS_ENDPOINT_URL for a server that is not AWS.',
  badEndpoint: 'AWS_ENDPOINT_URL is not the address of a server, such as https://s3.example.com.',
  /** @param profile One that was named, whose keys are not in the file; empty if none was. */
  noCredentials: (file: string, profile: string): string =>
    `There are no credentials for the bucket.${profile === '' ? '' : ` ${file} has no keys for the profile ${profile}.`} Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.`,
};
export type ReasonsWords = typeof reasonsWords;
