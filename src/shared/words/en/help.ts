/** A word and its meaning, a step and how it is done, a cell and what it does. */
type Line = readonly [subject: string, text: string];

const line = (subject: string, text: string): Line => [subject, text];

/** The help. */
export const helpWords = {
  title: 'Help',
  parts: 'Parts of the help',

  terms: {
    sheet: line('Sheet', 'What you wrote: CSV, TSV, XLSX or ODS. One line is one row.'),
    batch: line('Batch', 'An imported sheet, with its folder, its gateway and its request limit.'),
    row: line('Row', 'One line of a batch: an operation, its fields, and its own id.'),
    take: line('Take', 'One paid rendering of a row. A row asks for one or more.'),
    task: line('Task', 'What the gateway made of one take: one paid request, one task code.'),
    output: line('Output', 'One file, or one JSON document, that a task gave. A task may give several.'),
    key: line(
      'Key',
      'Gives access to your gateway, and is sent to no other. Each gateway has its own. If a gateway repeats it, you see ***your-key***.',
    ),
    profile: line('Profile', 'Gateway settings that its interface does not define.'),
    account: line(
      'Account',
      'A gateway and a key. A batch has one, or several that share its rows: if one is out of credit, refused or at its limit, only that one stops.',
    ),
    inferred: line(
      'Inferred',
      'The profile does not say what the gateway’s status means, but the answer looks like a failure. You can edit the row at once. Nocturne keeps asking the gateway, and keeps a file that arrives late.',
    ),
    tryingAgain: line(
      'Trying again',
      'A file did not arrive, or what arrived was a web page, an incomplete file or a broken one. It is requested again after seconds, then minutes, then every hour, for about five hours; nothing is rendered or paid for again. What arrived instead is kept in “set-aside”.',
    ),
    night: line(
      'Night',
      'A night is everything that runs from noon to noon; one still running at noon lasts until nothing runs.',
    ),
    ledger: line(
      'Ledger',
      'What was planned, submitted, accepted, rendered, downloaded and verified, and what fell out in between.',
    ),
    unknown: line(
      'Unknown',
      'A paid request to which no clear answer came. It may have been charged. It is never paid for again automatically.',
    ),
  },

  keys: {
    everywhere: 'Everywhere',
    moving: 'Move and select in the grid',
    editing: 'Edit',
    looking: 'Look',
    review: 'Review',
    /** Any of the arrow keys. */
    arrow: 'arrow',
    move: 'Move from cell to cell',
    toLast: 'To the last cell; Home, End, Page up and Page down as in a spreadsheet',
    selectCells: 'Select several cells',
    selectRows: 'Select whole rows',
    selectColumns: 'Select whole columns',
    selectAll: 'Select everything',
    edit: 'Edit the cell; typing replaces what is in it',
    toggle: 'In a row without files: turn true to false and back',
    editLarge: 'Edit a long text in a large editor',
    clear: 'Clear the cells',
    copyPaste: 'Copy, cut, paste: from and to Excel, LibreOffice, Google Sheets',
    fillDown: 'Fill down',
    undoRedo: 'Undo, redo',
    insertDelete: 'Insert rows, delete rows',
    moveRows: 'Move rows up, down',
    holdRows: 'Hold rows, release them, run them next',
    oneMoreTake: 'One more take of rows that are done: nothing is sent before you have seen its cost',
    renderAgain: 'Render rows that are done again, as they are: nothing is sent before you have seen its cost',
    inspect: 'Open the row in the inspector; press again to return to the grid',
    rowMenu: 'Open the menu of the row; Column, above the grid, opens that of the column',
    play: 'In any cell: play or show the row’s files, and close them again',
    lookCloser: 'With a file open: zoom into a picture, see its pixels, fill the screen',
    lookFilm: 'With a file open: previous and next frame of a film; play slower, faster',
    compare: 'With a file open, or in the inspector: compare an earlier version with the file that took its place',
  },

  morning: {
    ledger: line(
      'Open the ledger.',
      'It says how many takes came from the plan to the folder, and what fell out on the way, with a button for each thing to do: correct, try again, resume downloads, check a charge, raise a limit, enter the key. Below are the money, the night over time, and every night before.',
    ),
    banner: line('Look at the banner.', 'A paused batch says why, and what to do before you press Resume.'),
    unknown: line(
      'Resolve what is unknown.',
      'Press Unknown above the grid. Adopt a task code if the gateway shows one, resubmit, or write it off. Nothing is paid for again unless you say so.',
    ),
    failed: line(
      'Read what failed.',
      'Each row says what the gateway said. “Why it failed”, above the grid, shows the rows with one reason and retries just these; “Retry failed” retries all of them. A retry fetches what is still there, and renders again only if nothing is left. If Nocturne asks what a status of your gateway means, answer it: if you say yes, rows with that status fail at once.',
    ),
    choose: line(
      'Look and listen, and choose.',
      'Review shows all files of a row side by side: keep, reject, rate, note, by keyboard. Rejected files go to the folder “rejected”, come back with Undo, and are deleted only when you say so. Space on a row just shows its files, with lyrics as text; the gallery in the folder has them all.',
    ),
    deliver: line(
      'Deliver it, or take the folder.',
      'Deliver copies what you kept for others, under names of your choice and with tags that say what each file is. If you deliver into the same folder again, only what is new is added. Delivery continues after its dialog is closed, and can be cancelled in the head of the batch. The manifest of the media folder says where every file came from; nocturne verify proves it.',
    ),
  },

  /** What a cell can hold. */
  language: {
    headers: <T>(code: (text: string) => T): readonly (string | T)[] => [
      'Each header is a column of an operation, such as ',
      code('prompt'),
      '; its mapping can be changed when the sheet is imported. The column ',
      code('row'),
      ' gives a row its id, ',
      code('operation'),
      ' says what to render. Common words for them, and the questions of a form, are understood and shown for you to confirm. Columns of your own are not sent, but cells can name them.',
    ],
    otherRows: 'Other rows',
    otherRowsText:
      'A cell can use the result of another row. Its row then waits for that row, whatever their order. If that row fails, the waiting row fails too, and continues automatically once that row is retried. Rows that wait for each other in a circle are an error.',
    references: {
      taskId: line('{{intro.taskId}}', 'The task of the row “intro”. Its row waits until “intro” is done.'),
      result: line('{{words.result.text}}', 'A field of the gateway’s answer for the row “words”, at any depth.'),
      url: line('{{picture.output.1.url}}', 'The address of the first file of the row “picture”.'),
      lastFrame: line(
        '{{shot.output.1.lastFrame}}',
        'The last frame of the film of the row “shot”; for the cover of a song, .cover. The picture is put on your own files place, if there is one.',
      ),
    },
    values: 'Values, choices, lists',
    valuesText: <T>(code: (text: string) => T): readonly (string | T)[] => [
      'What is drawn depends on the row’s id, or on its column ',
      code('seed'),
      ' if there is one: the same row always gets the same draw, even after a re-import. Enter another seed for another draw. Braces in text that is filled in are not read again.',
    ],
    draws: {
      column: line(
        'A {animal} under the moon',
        'The cell of the column “animal” in the same row, or a variable of the batch.',
      ),
      row: line('Chapter {row}', 'The row’s own id.'),
      choice: line('{red|green|blue} sky', 'One of them, drawn for each row, or one row for each.'),
      empty: line('A {|very }quiet street', 'A choice may be empty.'),
      list: line('An old __animals__', 'An item of your list “animals” (Settings, Lists).'),
    },
    exact: 'As it is written',
    exactly: {
      escaped: line('\\{not a choice|only text}', 'A backslash before { or __ sends them as they are.'),
      blank: line('""', 'Sends an empty text. A blank cell sends nothing.'),
      items: line(
        'calm|piano|slow',
        'Several items in a column that takes a list; or a JSON array: ["calm", "piano"].',
      ),
    },
  },

  /** How a batch and its file stay in step. Each step has a title. */
  living: {
    edit: line(
      'Edit where you like.',
      'In the grid, or in your spreadsheet. Rows that wait can be edited while the batch runs; a row in flight says why it cannot.',
    ),
    fix: line(
      'Fix many rows at once.',
      'The problems beside the grid are listed by kind, under your own headers. A wrong text is replaced in all rows that have it, and values that no operation uses are cleared: one press each, and one undo.',
    ),
    view: line(
      'Look at it as you need it.',
      '“Find rows” above the grid finds a text in any cell. The menu of a column sorts the rows by it and shows only those with one text in it. The sheet stays as it is. A row that you edit keeps its place in a sorted view until you sort again; it leaves a view that it no longer belongs to.',
    ),
    edited: line(
      'See what you changed.',
      'A small corner marks each cell that you edited since the import; “Show only edited rows”, in the menu of the rows, finds them all. The inspector (Ctrl+I) says whether an edit waits for the row’s turn, and lists the changes of the row: “Use this text again” brings an earlier text back, and Undo undoes that, too.',
    ),
    reimport: 'Re-import it.',
    reimportText: <T>(code: (text: string) => T): readonly (string | T)[] => [
      'The “Sheet” menu of a batch compares the batch with its file: what is new, changed or removed, and what that would cost. Rows are matched by their ids, so give them a column ',
      code('row'),
      '.',
    ],
    onlyChanged: line(
      'Only what changed runs.',
      'A row that was rendered and still asks for the same thing is never paid for again, even if you change it and change it back. (For a row that refers to others, only Undo does that: their results may be different by now.) Rows that you change in a batch that has run wait as drafts until you press “Run”.',
    ),
    again: line(
      'Right words, wrong result.',
      '“Render again”, in the menu of rows that are done, asks for them once more as they are, as drafts. Until the new request is sent, or if it fails, “Keep the earlier files” in the same menu takes that back, even after a restart. What was sent cannot be taken back; the earlier files stay beside the new ones. A row that refers to a draft waits until you run the draft.',
    ),
    results: line(
      'Results go back.',
      'Status, files, task code and failure as columns: written to a copy next to your file, or to the file itself if you choose that.',
    ),
  },

  night: {
    window: line(
      'Closing the window',
      'While a batch is rendering, you are asked what to do. Keep running in the background: an icon in the tray shows that Nocturne is still there; click it, or start Nocturne again, to see the window. Stop and quit: everything is kept, and rendering continues the next time you open Nocturne.',
    ),
    computer: line(
      'The computer',
      'Nocturne keeps it from going to sleep while a batch is rendering; the screen may go dark. If the computer is put to sleep or loses power, nothing is lost and nothing is paid twice: Nocturne continues where it stopped.',
    ),
    waiting: line(
      'Asked to wait',
      'The head of the batch says until when. Then rendering continues automatically, more slowly at first.',
    ),
    hours: line(
      'Hours and a time to finish by',
      'Outside the hours that you chose for a batch, the batch waits: nothing is sent, but what the gateway has is fetched. Hours belong to the day on which they begin. With a time to finish by, nothing is sent that is not expected to be done by then; what is left pauses until you give it another time. “When it runs…” under “More” in the head of the batch changes both, even while the batch runs.',
    ),
    files: line(
      'Files on this computer',
      'A cell that takes addresses, such as images or audioUrl, may name a file, such as pictures/kite.png. Your gateway cannot read your disk, so Nocturne puts such a file on a place of your own: a bucket, a WebDAV folder, or wherever a command of yours puts it. The same content is put there only once, before a row that names it is paid for. Choose the JSON file that describes the place under Files place before the start, or among the problems of the sheet. With "deleteAfterBatch": true in it, what was put is deleted there once no row can need it. “Files place…” under “More” in the head of a batch changes the place, and looks at the files. For what the JSON file can hold, see “Files on this computer” in the documentation.',
    ),
    gates: line(
      'Gates',
      'They look at each file once it is in its place, and flag what is black, silent, too short and the like; most of them need ffmpeg on this computer. If you say so, a take with a flagged file is rendered again, as a paid request within all limits, after the rows that have no file yet. The flagged file stays among the earlier versions of its row. “Gates…” under “More” in the head of a batch changes them, and tries them on the files that are there.',
    ),
    several: line(
      'Several batches',
      'Batches of one gateway take turns. The first screen lists the running batches in the order in which they send, and lets you move them up or down. “Run first”, in the menu of a batch in the sidebar, puts that batch before all others.',
    ),
    shelf: line(
      'Archiving and deleting batches',
      'The menu of a batch in the sidebar renames it, gives it tags, archives it or deletes it. The list can show only the batches with one tag, and the palette finds them by it. In any case, its folder keeps its name and all its files. An archived batch is folded away at the end of the list, and comes back when you start it or say so. A deleted batch can be brought back for a day; what was paid for it stays in the ledger and counts towards your limits.',
    ),
    store: line(
      'A store on a server',
      'Settings → Store opens one. Workers on other computers render its batches, with keys of their own. This window shows what they do; in it, you start, pause and decide. You can close it at any time. Next to the batches you see which workers are running; “Pause all” holds every worker. A rehearsal needs the store on this computer.',
    ),
    noAnswer: line(
      'No answer',
      'A banner says why. Nocturne asks again and again, and continues as soon as there is an answer.',
    ),
  },

  safety: {
    profile: line(
      'A profile that changes',
      'A profile decides where your prompts go, where files are fetched from, and what counts as failed. When you import one, or change an address, a host, a header, a pattern or a status, your system asks you first and shows each setting before and after. Agree only to what you wrote yourself or received from somebody you trust.',
    ),
    plain: line(
      'This connection is not encrypted',
      'The red box in Settings. The gateway is reached over plain http in a private network, as its profile allows. Everybody on that network can read your key and every prompt.',
    ),
    electron: line(
      'Outdated Electron',
      'The red line in the sidebar. Electron shows this window, and this version no longer gets security fixes. From a checkout, Nocturne starts with it only if you ask for that (--outdated-electron). Use it for rehearsals, not with a key: npm run setup fetches a current one if its release host can be reached.',
    ),
  },

  operations: {
    /** The short name and the path of an operation. */
    inSheet: <T>(short: T, path: T): readonly (string | T)[] => ['In a sheet: ', short, ' or ', path],
    column: 'Column',
    type: 'Type',
    what: 'What it is',
  },

  support: {
    text: 'The diagnostics say what somebody needs to help you: versions, counts, settings and the end of the log. You read them before you send them. No prompt, no key and no name of a batch, a file or a gateway is in them.',
    open: 'Diagnostics…',
    yourData: 'Moving, backing up, removing',
    openData: 'Open data folder',
    title: 'Diagnostics',
    hint: 'This is all that is saved or copied. Nothing is sent.',
    save: 'Save…',
    saved: 'The diagnostics are saved',
    copied: 'The diagnostics are copied',
  },
};
export type HelpWords = typeof helpWords;
