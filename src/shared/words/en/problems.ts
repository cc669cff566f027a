import { countOf, countText } from '../../domain/base/text.ts';
import { listed } from './common.ts';
import { editWords } from './problems/edits.ts';
import { sheetFileWords } from './problems/sheet-files.ts';

/** `: 0.60 USD for 3 takes, …`: what identical rows cost. */
interface DuplicateCost {
  readonly all: string;
  readonly takes: number;
  readonly first: string;
}

const didYouMean = (meant: string | undefined): string => (meant === undefined ? '' : `Did you mean ${meant}? `);

/** ` and 3 more`, after those that are named. */
const andMore = (n: number): string => (n > 0 ? ` and ${countText(n)} more` : '');
/** What is named, and how many more there are, as one list. */
const andMoreOf = (named: readonly string[], more: number): string =>
  listed([...named, ...(more > 0 ? [`${countText(more)} more`] : [])], 'and');

/**
 * What is wrong with a sheet or a profile, and what to do about it. Names, and what somebody wrote, are already in
 * quotation marks, unless a comment says otherwise; `meant` is what the author probably meant.
 */
export const problemsWords = {
  /** A batch or a sheet that names no operation, after its count of rows. */
  noneSaysWhat: (rows: number): string =>
    rows === 0
      ? countOf(rows, 'row')
      : `${countOf(rows, 'row')}, ${rows === 1 ? 'which does not say' : 'none of which says'} what to render`,
  /** Sums of money in several currencies. */
  sums: (sums: readonly string[]): string => sums.join(' and '),

  header: {
    /** @param header Also without quotation marks, for the command line. */
    meansOperation: (quoted: string, header: string) => ({
      message: `All cells of the column ${quoted} are names of operations.`,
      remedy: `Rename it to “operation”, or map it to “operation”: in the window, or with --map "${header}=operation" on the command line.`,
    }),
    noOperation: (headers: string, nearest: string | undefined, operations: readonly string[]) => ({
      message: `The sheet has no column “operation”. Its header line is: ${headers}.`,
      remedy:
        nearest === undefined
          ? `Add a column “operation” that says what each row is: ${operations.join(', ')}; or map the header that says it; or choose one operation for the whole sheet. If the header is further down, choose its line.`
          : `Rename the header ${nearest} to “operation”.`,
    }),
    /** @param columns Letters, as in a spreadsheet. */
    duplicate: (name: string, columns: readonly string[]) => ({
      message: `The header ${name} occurs ${columns.length} times: columns ${columns.join(', ')}.`,
      remedy: 'Rename or delete all but one of them, so that it is clear which cells to send.',
    }),
    sameColumn: (other: string, name: string) => ({
      message: `The headers ${other} and ${name} mean the same column.`,
      remedy: 'Rename or delete one of them, so that it is clear which cells to send.',
    }),
    displaced: (name: string, column: string, other: string) => ({
      message: `The column ${name} is not sent: ${other} was chosen as ${column}.`,
      remedy: 'If this is not what you want, choose another column for the other header.',
    }),
    taken: (name: string, column: string, other: string) => ({
      message: `The column ${name} is not sent: it means ${column}, which ${other} already gives.`,
      remedy: 'It stays in the sheet. To send it instead, map it to that column, and the other one to something else.',
    }),
    chosenForNone: (header: string, meant: string | undefined) => ({
      message: `A column was chosen for ${header}, but the sheet has no such header.`,
      remedy: meant === undefined ? 'Check the header line of the sheet.' : `Did you mean ${meant}?`,
    }),
    chosenAsNone: (header: string, column: string, meant: string | undefined) => ({
      message: `${header} was chosen as ${column}, which is not a column of any operation.`,
      remedy: meant === undefined ? 'Choose a column of an operation, such as prompt.' : `Did you mean ${meant}?`,
    }),
    /** @param hints Columns that a word may mean. @param nearest The column with the most similar name. */
    unknown: (name: string, hints: readonly string[], nearest: string | undefined) => ({
      message: `No operation has a field ${name}; this column is not sent.`,
      remedy:
        hints.length > 0
          ? `If it should be sent, put it into ${hints.join(' or ')}; otherwise leave it as it is.`
          : nearest === undefined
            ? 'Check its spelling if it should be sent; otherwise leave it as it is.'
            : `Rename it to ${nearest} if that is what you mean; otherwise leave it as it is.`,
    }),
    matched: (name: string, columns: readonly string[]) => ({
      message: `The header ${name} is mapped to ${columns.join(' or ')}.`,
      remedy: `Confirm it, or rename the header to ${columns.join(' or ')}; choose another column if this is wrong.`,
    }),
    /** @param lines What `lines` says. */
    missing: (letter: string, lines: string) => ({
      message: `Column ${letter} has no header, so its cells are not sent: ${lines}.`,
      remedy: 'Give it a header if it should be sent.',
    }),
    /** @param operation Without quotation marks, like its fields. */
    unused: (operation: string, header: string, lines: string, meant: string | undefined, own: readonly string[]) => ({
      message: `“${operation}” has no field ${header}, so it is not sent: ${lines}.`,
      remedy:
        meant === undefined
          ? `Clear these cells, or check the operation. The fields of “${operation}” are ${own.join(', ')}.`
          : `Use the column ${meant} instead, or clear these cells.`,
    }),
    /** The lines of some rows; `more` is how many are not named. */
    lines: (rows: number, named: readonly number[], more: number): string =>
      rows === 1 ? `line ${named.join(', ')}` : `${countText(rows)} rows, lines ${named.join(', ')}${andMore(more)}`,
  },

  row: {
    noOperation: {
      message: 'This row names no operation.',
      remedy: 'Name an operation, such as music, image or lyrics; or delete the line.',
    },
    unknownOperation: (name: string, { meant, column, operations }: MeantOperations) => ({
      message: `There is no operation ${name}.`,
      remedy:
        column === undefined
          ? `${didYouMean(meant.length === 0 ? undefined : meant.join(' or '))}The operations are ${operations.join(', ')}.`
          : `Write ${meant.join(' or ')}, and “yes” in a column ${column}.`,
    }),
    /** A column whose cell cannot be read; its name without quotation marks. */
    holds: (column: string, text: string): string => `The column “${column}” holds ${text}.`,
    writeWhole: (least: number, most: number, otherwise: number): string =>
      `Write a whole number from ${least} to ${most}, or leave it blank for ${otherwise}.`,
    noAccount: (name: string, meant: string | undefined, accounts: readonly string[]) => ({
      message: `The batch has no account ${name}.`,
      remedy: `${didYouMean(meant)}Its accounts are ${accounts.join(', ')}. Leave the cell blank for any of them.`,
    }),
    unsendable: (text: string, is: 'nul' | 'half') => ({
      message: `The cell ${text} holds ${is === 'nul' ? 'a NUL character' : 'half of a character (a lone surrogate)'}, which no gateway takes.`,
      remedy: 'Type the text of this cell again.',
    }),
    /** @param at Letters, as in a spreadsheet, like those of the last column with a header. */
    extraCell: (text: string, at: string, last: string) => ({
      message: `The row has more cells than the header: ${text} in column ${at} has no header; the last header is in ${last}.`,
      remedy: 'If a text was torn apart at its commas, put double quotes around it; otherwise delete the extra cells.',
    }),
    holdsKey: (where: 'header' | 'cell' | 'composed' | 'variable' | 'list') => {
      const what = {
        header: 'A header',
        cell: 'A cell',
        composed: 'The cell, with what is put into it,',
        variable: 'A variable of the batch',
        list: 'A list that cells draw from',
      }[where];
      return {
        message: `${what} holds your gateway key, which would be sent with the row; it is not kept.`,
        remedy: 'Delete the key from the sheet. It belongs in the settings and nowhere else.',
      };
    },
    unsendableVariable: (name: string) => ({
      message: `The variable ${name} holds a NUL character or half of a character, which no gateway takes.`,
      remedy: 'Type its text again.',
    }),
    /** @param line Where that row was when the sheet was read; undefined in a sheet that is edited, where rows move. */
    idUsed: (id: string, line: number | undefined) => ({
      message: `The row id ${id} is already used ${line === undefined ? 'by another row' : `on line ${line} of the sheet as it was read`}; ids are not case-sensitive.`,
      remedy: 'Give this row another id, or leave its id blank.',
    }),
    idLong: (id: string, characters: number, most: number) => ({
      message: `The row id ${id} has ${characters} characters: too long for the names of its files.`,
      remedy: `Give this row an id of at most ${most} characters.`,
    }),
    idControls: (id: string) => ({
      message: `The row id ${id} contains a line break or another control character.`,
      remedy: 'Give this row an id without it.',
    }),
    idMangled: (id: string, looksLike: 'date' | 'number') => ({
      message: `The row id ${id} looks like a ${looksLike} that a spreadsheet made of something else.`,
      remedy: 'If it was something else, format the column as text and type the id again.',
    }),
    /** @param fields Names without quotation marks, like the operation. */
    nothingToRender: (fields: readonly string[], operation: string) => ({
      message: `No prompt or source: ${fields.join(', ')} ${fields.length > 1 ? 'are all' : 'is'} blank.`,
      remedy: `Fill in ${fields.length > 1 ? 'at least one of them' : `“${fields.join(', ')}”`}, which “${operation}” needs (add the column if it is missing), or delete the line.`,
    }),
    /** Rows with the same request. @param takes The header of the takes, without quotation marks. */
    duplicates: (
      named: readonly { readonly id: string; readonly line: number }[],
      rows: number,
      cost: DuplicateCost | undefined,
      takes: string,
    ) => ({
      message: `The rows ${andMoreOf(
        named.map(({ id, line }) => `${id} (line ${line})`),
        rows - named.length,
      )} are identical; you would pay ${rows === 2 ? 'twice' : `${countText(rows)} times`}${cost === undefined ? '' : `: ${cost.all} for ${countText(cost.takes)} takes, where the first row alone is ${cost.first}`}.`,
      remedy: `If you want several versions, keep one row and set its “${takes}”; otherwise delete the others.`,
    }),
    /** Rows that one row becomes; without a count, more than a billion. */
    manyChoices: (rows: number | undefined, most: number) => ({
      message: `The choices of this row make ${rows ?? 'more than a billion'} rows; one row can become at most ${most}.`,
      remedy: 'Remove alternatives or whole choices, or draw one for each row.',
    }),
    unwritableChoice: {
      message:
        'An alternative of this row ends with “\\” right before braces or “__”, which looks the same as \\{ and \\__.',
      remedy: 'Put a space between them, or draw one alternative for each row.',
    },
  },

  sheet: {
    /** @param most Rows, or millions of characters. */
    manyRows: (most: number, of: 'rows' | 'characters', id: string, line: number) => ({
      message: `With one row for each choice, the sheet has more than ${most} ${of === 'rows' ? 'rows' : 'million characters'}, from the row ${id} (line ${line}) on.`,
      remedy: 'Remove alternatives, split the sheet into several, or draw one alternative for each row.',
    }),
    muchText: (millions: number) => ({
      message: `With everything put in, the sheet has more than ${millions} million characters.`,
      remedy: 'Put in fewer or shorter texts, or split the sheet into several.',
    }),
  },

  /** Cells, by the name of their column without quotation marks. */
  cell: {
    /** What is wrong, without a full stop. */
    is: (column: string, what: string): string => `“${column}”: ${what}.`,
    /** The same as a sentence. */
    says: (column: string, sentence: string): string => `“${column}”: ${sentence}`,
    sentence: (what: string): string => `${what}.`,
    notBoolean: (text: string) => ({
      message: `${text} is neither true nor false`,
      remedy: 'Write true or false (or yes, no, 1, 0), or leave the cell blank.',
    }),
    notWhole: (text: string) => ({
      message: `${text} is not a whole number`,
      remedy: 'Write a whole number such as 30, without a unit.',
    }),
    outOfRange: (text: string, least: number, most: number) => ({
      message: `${text} is out of range`,
      remedy: `Write a whole number from ${least} to ${most}.`,
    }),
    /** @param withPoint The number as it is to be written, if it has a decimal comma. */
    notNumber: (text: string, withPoint: string | undefined) => ({
      message: `${text} is not a number`,
      remedy:
        withPoint === undefined
          ? 'Write a number such as 12 or 7.5, without a unit.'
          : `Write it with a decimal point: ${withPoint}.`,
    }),
    noItems: (text: string) => ({
      message: `${text} is a list without items`,
      remedy: 'Separate the items by |, or leave the cell blank.',
    }),
    notArray: (text: string, is: 'no-json' | 'no-texts') => ({
      message: `${text} is ${is === 'no-json' ? 'not a valid JSON array' : 'not a JSON array of texts'}`,
      remedy: 'Separate the items by |, or write a JSON array of texts such as ["calm", "piano"].',
    }),
    unusualControl: (column: string, value: number) => ({
      message: `“${column}” is ${value}; gateways commonly take 0 to 100.`,
      remedy: 'Check the number; it is sent as it is.',
    }),
    longPrompt: (column: string, kilobytes: number, text: string) => ({
      message: `“${column}” is longer than ${kilobytes} kB: ${text}.`,
      remedy: 'Check that this is what you want to pay for.',
    }),
    localFile: (column: string, file: string) => ({
      message: `“${column}” holds ${file}, a file on this computer, which the gateway cannot read.`,
      remedy: `${NAME_A_PLACE}, or put the file on the web yourself and write its https:// address.`,
    }),
    noAddress: (column: string, text: string) => ({
      message: `“${column}” holds ${text}, which is not a web address.`,
      remedy:
        'It is sent as it is. An address begins with https://, and a file on this computer with its folder or ./.',
    }),
    takesNoPicture: (column: string, reference: string) => ({
      message: `“${column}” holds ${reference}, a picture, but takes none.`,
      remedy: 'Use it in a column of pictures, such as “images”.',
    }),
    pictureInText: (column: string, reference: string) => ({
      message: `“${column}” combines ${reference}, an address, with other text.`,
      remedy: 'Separate it from other pictures by |.',
    }),
    localPicture: (column: string, reference: string) => ({
      message: `“${column}” holds ${reference}, a picture that Nocturne makes on this computer, where the gateway cannot read it.`,
      remedy: `${NAME_A_PLACE}.`,
    }),
    endsFirst: (last: string, end: number, first: string, start: number) => ({
      message: `“${last}” is ${end} s, which is not after “${first}”, ${start} s.`,
      remedy: 'Make the end later than the start.',
    }),
    noReference: (written: string) => ({
      message: `${written} is not a reference to another row.`,
      remedy:
        'Write {{ROW.taskId}}, {{ROW.result.musicUrl}}, {{ROW.output.1.url}} or {{ROW.output.1.lastFrame}}, where ROW is the id of the other row; or \\{\\{ if these braces are part of the text.',
    }),
    noVariable: (written: string, name: string, meant: string | undefined) => ({
      message: `${written} is sent as it is: there is no column or variable ${name}.`,
      remedy: `${didYouMean(meant)}Add this column or variable, or write \\{ if these braces are part of the text.`,
    }),
    namesResults: (written: string, name: string) => ({
      message: `${written} names the column ${name}, into which Nocturne writes results: it cannot be part of a text.`,
      remedy: 'Give your column another name, and write that name here.',
    }),
    noList: (written: string, name: string, meant: string | undefined) => ({
      message: `${written} is sent as it is: there is no list ${name} with items.`,
      remedy: `${didYouMean(meant)}Add this list, or write \\__ if this is part of the text.`,
    }),
    nestedChoice: (written: string) => ({
      message: `The choice ${written} contains braces or a list, which are sent as they are.`,
      remedy:
        'Write each alternative as plain text, or put the inner choice into the list that __name__ draws from; write \\{ if these braces are part of the text.',
    }),
    growsTooLong: (text: string, millions: number) => ({
      message: `${text} would have more than ${millions} million characters with everything put in.`,
      remedy: 'Put in fewer or shorter texts.',
    }),
  },

  reference: {
    /** @param ids The header of the rows' ids, without quotation marks. */
    missing: (reference: string, row: string, meant: string | undefined, ids: string) => ({
      message: `${reference} refers to the row ${row}, which does not exist.`,
      remedy:
        meant === undefined
          ? `Write a row’s id as in its column “${ids}”; the id of a row without one comes from its line: “r0002”.`
          : `Did you mean ${meant}? Write the row’s id as in its column “${ids}”.`,
    }),
    toItself: (reference: string) => ({
      message: `${reference} refers to its own row, which would wait for itself.`,
      remedy: 'Refer to another row.',
    }),
    /** Rows in a circle; `more` is how many are not named. A circle with more than one way round has no `first`. */
    circle: (rows: readonly string[], more: number, first: string | undefined) => ({
      message: `These rows wait for each other in a circle, so none of them could start: ${
        first === undefined
          ? `${rows.join(', ')}${andMore(more)}`
          : `${rows.join(' → ')} →${more > 0 ? ` ${countText(more)} more →` : ''} ${first}`
      }.`,
      remedy: 'Remove one of the references between them.',
    }),
    /**
     * @param skip The header that leaves the row out, without quotation marks; absent if something is wrong with the
     * row.
     */
    blocked: (row: string, skip: string | undefined) => ({
      message: `This row needs the row ${row}, which ${skip === undefined ? 'cannot run' : `is left out (“${skip}”)`}.`,
      remedy: skip === undefined ? 'Correct that row first.' : `Clear “${skip}” there, or leave this row out too.`,
    }),
    /** @param url The reference to the row’s file, as it is written. */
    noPicture: (part: 'lastFrame' | 'cover', reference: string, row: string, operation: string, url: string) => {
      const [name, of] = part === 'cover' ? ['cover', 'a song'] : ['last frame', 'a film'];
      return {
        message: `${reference} is the ${name} of ${of}, but the row ${row} (${operation}) gives none.`,
        remedy: `Refer to a row that gives ${of}, or to this one’s file: ${url}.`,
      };
    },
  },

  /**
   * What another row gives to a cell, and what it does not give. Every text in it begins with “it” and continues a
   * sentence.
   */
  given: {
    /** @param column Without quotation marks. @param why One of the following. */
    needs: (column: string, reference: string, row: string, why: string): string =>
      `“${column}” needs ${reference} from the row ${row}, but ${why}.`,
    wrongType: (column: string, why: string): string => `“${column}”, filled in from other rows: ${why}.`,
    nothingToRender: (column: string, row: string): string =>
      `“${column}”, filled in from the row ${row}, is empty: nothing to render.`,
    nothingYet: 'it has no result yet',
    outputs: (n: number): string => `it has ${countOf(n, 'output')}`,
    unknown: 'its result is not known',
    hasNo: (path: string, holds: string): string => `its result has no ${path}; ${holds}`,
    hasSeveral: (path: string, places: number, holds: string): string =>
      `its result has ${path} in ${places} places; ${holds}`,
    isNull: 'it is null',
    isNoText: (holds: string): string => `it is not a text: ${holds}`,
    isList: (items: number): string => `it is a list of ${items}, counted from 0`,
    isValue: (value: string): string => `it is ${value}`,
    isEmpty: 'it is empty',
    has: (names: readonly string[], more: number): string =>
      `it has ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
  },

  internal: 'Something went wrong inside Nocturne. Try again; if it happens again, please report it with the log.',

  /** @param why The system’s words. */
  noPattern: (why: string): string => `This is not a regular expression: ${why}`,

  /**
   * What a setting must be. It follows the name of the setting, or becomes a sentence of its own through `sentence`.
   */
  must: {
    address: 'must be an address that starts with https:// or http://',
    noUser: 'must not carry a user name or a password',
    endWithPath: 'must end with a path: no ?, # or backslash',
    nameHost: 'must name a host, such as gateway.example or 127.0.0.1:8080',
    httpsForInternet: 'must start with https://: plain http would send your key unencrypted across the internet',
    httpsForNetwork: 'must start with https://: plain http would send your key unencrypted across the network',
    httpsForFiles: 'must start with https://: plain http would show your files, and a password, to the network',
    httpsForMessages: 'must start with https://: plain http would show the message, and a token, to the network',
    httpsForPublic: 'must start with https://: plain http is for this machine and a private network',
    noMetadata: 'must not be a link-local or metadata address: machines keep secrets there, never media',
    notThisMachine: 'must not be this machine, because the gateway does not run on it',
    placeAddress: 'must be an address that starts with https://, without ? and #',
    bucket: 'must be s3://BUCKET or s3://BUCKET/PREFIX',
    oneWay: 'must have one of s3, webdav and command',
    deleter: 'is missing: deleteAfterBatch needs a command that is given the address and deletes the file',
    noControls: 'must not contain control characters',
    noNul: 'must not contain a NUL character',
    headerText: 'must be 1 to 200 printable ASCII characters',
    headerName: 'must be the name of a header, such as Idempotency-Key',
    ownHeader: 'must be a header of its own, such as Idempotency-Key: Nocturne or HTTP itself uses this one',
    resultPath: 'must be a path such as /musicgen/result: no ?, #, spaces, .. or trailing slash',
    balancePath: 'must be a path such as /account/balance: no #, spaces, .. or trailing slash',
    answerPath: 'must be names joined by dots, such as result.credits',
    hostAndPort: 'must be a host or host:port, such as media.example:8443',
    pattern: 'must be a regular expression (RE2: without look-around and back-references)',
    notOpen: 'must not be 408 or 5xx: the paid request may have been accepted all the same',
    suggestionKey: 'must be an operation and a column joined by a dot',
    currency: 'must be a code or a word, such as USD or credits',
    scope: 'must be a family or an operation, such as musicgen or videogen-b/image/generate',
    numberOrText: 'must be a number or text',
    oneOf: (values: readonly string[]): string => `must be one of: ${values.join(', ')}`,
    atLeast: (least: number | bigint, isText: boolean): string =>
      `must be at least ${least}${isText ? ' characters long' : ''}`,
    atMost: (most: number | bigint, isText: boolean): string =>
      `must be at most ${most}${isText ? ' characters long' : ''}`,
    /** @param type A JSON type. */
    beOf: (type: string): string => `must be ${TYPES[type] ?? `a ${type}`}`,
  },

  file: sheetFileWords,
  edits: editWords,

  /** Settings of a profile. */
  profile: {
    sentence: (what: string): string => {
      const start = what.charAt(0).toUpperCase() + what.slice(1);
      return start.endsWith('.') ? start : `${start}.`;
    },
    /** @param must One of `must`. */
    it: (must: string): string => `It ${must}.`,
    unknownKey: 'This key is unknown.',
    nameOperation: 'Name an operation by its path, such as musicgen/music/generate: each has a price of its own.',
    writeObject: 'Write a JSON object; {} is the default profile.',
    correct: 'Correct it, or leave it out.',
    correctOrDefault: (value: string): string => `Correct it, or leave it out for the default (${value}).`,
    removeOr: (keys: readonly string[]): string =>
      keys.length === 0
        ? 'Remove it; a scope is a family or an operation, such as videogen-b/image/generate.'
        : `Remove it, or write one of: ${keys.join(', ')}.`,
    useHttps:
      'Use https. If the gateway is in a private network and has no https, add "allowPlainHttp": true to the profile.',
    leaveOut: 'Leave it out.',
  },
};
export type ProblemsWords = typeof problemsWords;

/** What an unknown name of an operation may mean. */
interface MeantOperations {
  readonly meant: readonly string[];
  /** The column that completes the meaning, if one is needed. */
  readonly column: string | undefined;
  /** Names of all operations, without quotation marks. */
  readonly operations: readonly string[];
}

const NAME_A_PLACE =
  'Name a place of your own to put such files (in the window: Files place; on the command line: --files-place FILE)';

const TYPES: Readonly<Record<string, string>> = {
  int: 'a whole number',
  object: 'an object, in { }',
  record: 'an object, in { }',
  array: 'a list, in [ ]',
};
