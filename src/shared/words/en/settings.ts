import { countOf, countText } from '../../domain/base/text.ts';
import { commonWords } from './common.ts';

/** The settings. */
export const settingsWords = {
  title: 'Settings',
  parts: 'Parts of the settings',
  theme: 'Theme',
  language: 'Language',
  systemLanguage: 'The system’s language',
  otherKeys: 'Other keys',
  /** Under the titles of the parts. */
  about: {
    gateways:
      'Where batches are rendered. Each has its own key, limits, prices and statuses. A batch stays with the gateway it was started with: nothing here stops what runs.',
    keys: 'A batch stays with the gateways it was started with, and uses their keys.',
    profile:
      'Gateway settings that its interface does not define: what its status numbers mean, how a task code is passed, how many requests it accepts. A status that is not in the table counts as running, and the outcome is inferred.',
    prices:
      'What your gateway charges for one paid request, as its price list says. Forecasts and spending limits use it. Leave a price empty if you do not know it: then a spending limit cannot hold, and says so.',
    learned:
      'What this gateway’s answers looked like, counted over all nights, but nothing of what they said. Additions to the profile that follow from this are proposed first.',
    notifications: 'One message when a night has ended, or when it needs somebody: never one for each row.',
    spending:
      'Limits for all batches on your gateways together. A night is everything that runs from noon to noon; one still running at noon lasts until nothing runs. When a limit is reached, batches pause until you raise it, or until the next night or month, and you resume them.',
    lists: <T>(code: (text: string) => T): readonly (string | T)[] => [
      'A cell with ',
      code('__animals__'),
      ' in it draws an item from the list “animals”: always the same one for the same row.',
    ],
    store:
      'The store keeps every batch, paid request and result. On a server, several computers see the same store, and workers render its batches.',
    data: 'The store records every batch, paid request and file. A backup holds it with your lists, settings and profiles, and is safe while rendering. The key is not included.',
  },
  restoreBackup: 'Restore a backup…',
  backUp: 'Back up the store…',

  /** The list of gateways, and what can be done with each. */
  gateways: {
    firstName: 'My gateway',
    newName: 'New gateway',
    new: 'New gateway',
    import: 'Import…',
    forNew: 'New batches use it',
    takeForNew: 'Use for new batches',
    takeNamed: (name: string): string => `Use for new batches: ${name}`,
    more: (name: string): string => `More for ${name}`,
    renameIt: 'Rename…',
    export: 'Export…',
    delete: 'Delete…',
    rename: 'Rename the gateway',
    isTaken: 'Another gateway has this name.',
    exportTitle: 'Export the settings of a gateway',
    isExported: 'The gateway’s settings are exported',
    noAddress: 'No address yet',
    noKey: 'No key',
    /** The last four characters; of a short key, none. */
    key: (storage: 'keyring' | 'memory', last4: string): string =>
      `Key in ${storage === 'keyring' ? 'the keyring' : 'memory'}${last4 === '' ? '' : `, ends in ${last4}`}`,
    /**
     * How many songs, videos with A, and videos and images with B may be rendered at once, and how many requests may be
     * sent per second.
     */
    limits: (songs: number, videosA: number, videosB: number, perSecond: number): string => {
      const isEven = songs === videosA && songs === videosB;
      const atOnce = isEven
        ? `${countText(songs)} of each kind`
        : `${countOf(songs, 'song')}, ${countText(videosA)} of video A, ${countText(videosB)} of video B and images`;
      return `${atOnce} at a time, ${perSecond} ${perSecond === 1 ? 'request' : 'requests'} a second`;
    },
    prices: (priced: number, all: number): string =>
      priced === 0 ? 'No prices' : `${priced} of ${all} operations have a price`,
    /** `known`: the families whose statuses are known, if not all or none are. */
    statuses: (known: 'all' | 'none' | readonly string[]): string => {
      if (known === 'all') return 'Statuses known';
      return known === 'none'
        ? 'Statuses inferred'
        : `Statuses known for ${commonWords.and(known)}, otherwise inferred`;
    },
    all: 'All gateways',
    partsLabel: 'Parts of the gateway',
    parts: {
      connection: 'Connection',
      profile: 'Limits, statuses and files',
      prices: 'Prices',
      learned: 'Seen at this gateway',
    },
    /** In the palette. */
    entry: (name: string): string => `Gateway ${name}`,
    entryPart: (name: string, part: string): string => `Gateway ${name}: ${part}`,
    gone: (name: string): string =>
      `There is no gateway “${name}” any more. It was deleted, or it has another name now.`,
    goneTitle: 'This gateway is no longer there',
    goneText: 'What you typed stays here until you leave. Its settings can be added again.',
    addAgain: 'Add as a new gateway',
    askAdd: (name: string): string => `Add the gateway ${name}?`,
    addIt: 'Add it',
    askDelete: (name: string): string => `Delete the gateway ${name}?`,
    deleteIt: 'Delete the gateway',
    keepIt: 'Keep it',
    /** `address` is empty if it has none yet. */
    deleteLeadsTo: (address: string): string =>
      address === '' ? 'It has no address yet.' : `Its address is ${address}.`,
    deleteKey: 'Its key stays until you forget it.',
    /** `n`: batches that were started with it and have not finished. */
    deleteBatches: (n: number): string =>
      n === 0
        ? 'Batches that were started with it keep their own copy of its settings.'
        : `${countOf(n, 'batch', 'batches')} that ${n === 1 ? 'has' : 'have'} not finished ${n === 1 ? 'was' : 'were'} started with it. ${n === 1 ? 'It keeps its' : 'They keep their'} own copy of its settings, and nothing that runs stops.`,
    /** `n`: batches that are to be rendered with it and were never started. */
    deleteReady: (n: number): string =>
      `${countOf(n, 'batch', 'batches')} for it ${n === 1 ? 'has' : 'have'} not been started: check the gateway when you start ${n === 1 ? 'it' : 'them'}.`,
    deleteNext: (name: string): string => `New batches then use ${name}.`,
  },
  gateway: {
    form: 'Gateway',
    baseUrl: 'Base URL',
    /** `problem` says what it must be: “must name a host”. */
    wrongUrl: (problem: string): string => `The base URL ${problem}.`,
    urlHint: 'The gateway’s base URL, including its path. The key is sent only to this origin.',
    key: 'Key',
    yourKey: 'Your aiKey',
    /** The last four characters; of a short key, none. */
    keyStored: (last4: string): string =>
      `Stored${last4 === '' ? '' : `, ends in ${last4}`}. Enter another to replace it.`,
    keyOfNewUrl: 'The key that you entered for this gateway is still stored.',
    noKeyOfNewUrl: 'Enter the key of this gateway. Batches on other gateways keep their own and continue.',
    isPlain: 'This connection is not encrypted',
    isPlainHint: 'Everybody on that network can read your key and every prompt. Use https if the gateway offers it.',
    save: 'Save connection',
    saveAndTest: 'Save and test',
    test: 'Test connection',
    testHint: 'Asks the gateway about a task that does not exist. Nothing is paid.',
    forget: 'Forget the key…',
    inKeyring:
      'The key is kept encrypted with your system’s keyring. It is never shown again, and is sent only to the gateway.',
    inMemory:
      'This machine has no keyring that Nocturne can use. The key stays in memory only and is gone when Nocturne is closed.',
    stored: (last4: string, origin: string): string =>
      `Stored: a key${last4 === '' ? '' : ` ending in ${last4}`} for ${origin}.`,
    /** Labels before what was asked and what came. */
    asked: 'Request:',
    came: 'Answer:',
  },
  keys: {
    /** A key that has a name, at a gateway. */
    named: (name: string, origin: string): string => `“${name}” at ${origin}`,
    stored: 'Key stored',
    endsIn: (last4: string): string => `Key ends in ${last4}`,
    forget: 'Forget…',
    keyFor: (key: string): string => `Key for ${key}`,
    isKept: 'Stored. Resume the batch that waits for it.',
    isSentTo: 'It is sent only to this gateway.',
    replace: 'Stored. Enter another to replace it.',
    save: 'Save key',
    askForget: (key: string): string => `Forget the key for ${key}?`,
    forgetIt: 'Forget the key',
    keep: 'Keep',
    forgetHint:
      'Without it nothing can be sent to this gateway or fetched from it: its batches pause until you enter the key again. Nocturne cannot show you the key, so make sure that you have it elsewhere.',
  },
  /** Whether the gateway charges only once for the key of a request, in the header of this name. */
  keyTrust: {
    label: 'Keys of requests',
    tryIt: 'Try it…',
    passed: (header: string): string => `Charges only once for one ${header}`,
    /** A sentence before the one that says what this means. */
    passedOn: (time: string): string => `Passed on ${time}.`,
    refuted: (header: string): string => `Charges twice for one ${header}`,
    refutedOn: (time: string): string => `Refuted on ${time}.`,
    untried: (header: string): string => `Nobody has tried whether it charges only once for one ${header}`,
    untriedHint:
      'The profile is believed: a request whose answer is lost is sent again under its key. A gateway that does not keep its word charges for it twice.',
    isTrying:
      'The request is sent twice under one key. You can leave this page: it continues, and its result stays here.',
    lastProbe: (standing: string): string => `The last probe: ${standing}.`,
    show: 'Show the probe',
    ask: 'Try the keys of this gateway?',
    notNow: 'Not now',
    send: 'Send it twice',
    operation: 'Operation',
    prompt: 'Prompt',
    savedTo: (folder: string): string =>
      `It is a batch of one row. What you pay for is saved to a new folder in ${folder}.`,
  },
  profile: {
    howEdited: 'How the profile is edited',
    fields: 'Fields',
    asJson: 'Profile, as JSON',
    hasChanged: 'The profile has changed in the meantime',
    changesBack: (changes: readonly { readonly path: string; readonly before: string; readonly after: string }[]) =>
      `Saving this draft would change back: ${changes.map(({ path, before, after }) => `${path} from “${before}” to “${after}”`).join('; ')}. Correct the draft, or discard it.`,
    save: 'Save profile',
    discard: 'Discard changes',
    isValid: 'The profile is valid.',
    mistakes: (n: number): string => countOf(n, 'mistake'),
    statuses: 'What the gateway’s statuses mean',
    statusesOf: (family: string): string => `Statuses of ${family}`,
    preset: 'Preset',
    presetFor: (family: string): string => `Preset for ${family}`,
    replacesTable: 'Replaces the table',
    noTable: 'No table: how a task ended is inferred from its answers.',
    meaningOf: (status: string, family: string): string => `Meaning of ${status} for ${family}`,
    removeStatus: (status: string, family: string): string => `Remove ${status} of ${family}`,
    newStatus: (family: string): string => `New status of ${family}`,
  },
  prices: { unknown: 'Not known', save: 'Save prices' },
  learned: {
    nothing: 'Nothing yet. After the first night at this gateway, what was seen is listed here.',
    agrees: 'Nothing that was seen contradicts the profile or adds to it.',
    take: 'Take',
    takeInto: (path: string): string => `Take ${path} into the profile`,
    lines: (n: number): string => countOf(n, 'line'),
    statuses: 'Statuses',
    times: 'Times',
    limits: 'Limits and costs',
    answers: 'Answers',
    /** The headings of the columns. */
    heads: {
      statuses: ['Operation', 'Status', 'Came with', 'Meant', 'Tasks'],
      times: ['Operation', 'As a rule', 'At most', 'Tasks'],
      limits: ['Operation', 'The gateway', 'Answers'],
      answers: ['Operation', 'Looked like', 'With the fields', 'Answers'],
    },
    meant: {
      running: 'still rendering',
      result: 'a result',
      suspected: 'failed, as inferred',
      failed: 'failed, as the profile says',
    },
    /** What a status came with. */
    cameWith: (hasUrl: boolean, hasEnded: boolean, hasMessage: boolean): string =>
      [hasUrl ? 'an address' : '', hasEnded ? 'an end time' : '', hasMessage ? 'a message' : '']
        .filter((look) => look !== '')
        .join(', ') || 'nothing else',
    seconds: (n: number): string => `${n} s`,
    minutes: (n: number): string => `${n} min`,
  },
  night: {
    keepAwake: 'Keep this computer awake while there is work. The screen may go dark.',
    fallsAsleep:
      'If it falls asleep, the night waits until it is awake: nothing is lost, and what was being rendered is checked before anything new is sent.',
    atLogin: 'If a night is not finished, open Nocturne at login without its window, and continue where it stopped.',
  },
  spending: {
    requestsOf: { night: 'A night: paid requests', month: 'A month: paid requests' },
    moneyOf: { night: 'A night: money', month: 'A month: money' },
    noLimit: 'No limit',
    /** `sums`: amounts with their currencies; `unpriced`: requests without a known price. */
    spent: (period: 'night' | 'month', requests: number, sums: readonly string[], unpriced: number): string => {
      const without = unpriced === 0 ? [] : [`${countText(unpriced)} without a known price`];
      return `${period === 'night' ? 'This night' : 'This month'}: ${[commonWords.paidRequests(requests), ...sums, ...without].join(', ')}.`;
    },
    save: 'Save limits',
    saved: 'The limits are saved.',
    holdsUp: 'This limit holds everything up',
  },
  telling: {
    withNames: 'Include the names of batches in what leaves this computer. Prompts and files are never included.',
    onScreen: 'On this screen',
    bySystem: 'Notifications of the system, unless this window has the focus',
    webhook: 'Webhook',
    command: 'Command',
    address: (way: string): string => `${way} address`,
    /** `problem` says what it must be: “must be an address that starts with https://”. */
    wrongAddress: (problem: string): string => `The address ${problem}.`,
    allowPlain: 'Allow plain http to my own network',
    token: 'Access token',
    tokenHint: 'Only if your topic asks for one.',
    secret: 'Signing secret',
    secretHint: 'whsec_… Each message is signed with it, as the Standard Webhooks specification has it.',
    madeHint: 'Give this to the receiver before you save: it is not shown again.',
    newSecret: 'Make a new secret',
    inKeyring: 'Stored with your system’s keyring.',
    inMemory: 'Kept in memory: gone when Nocturne closes.',
    argv: 'Program and its arguments, one per line',
    argvHint:
      'Runs without a shell, for 30 seconds at most. It gets the message as JSON on its input, and in NOCTURNE_TITLE and NOCTURNE_BODY.',
    /** The dots, because the user is asked to confirm a command before it is saved. */
    saveCommand: 'Save…',
    test: 'Send a test',
    isSending: 'Sending…',
    /** What came of the last message; `when` if it was not sent just now. */
    result: (isOk: boolean, text: string, when: string | undefined): string =>
      `${when === undefined ? '' : `${when}: `}${isOk ? 'Sent' : 'Not sent'}: ${text}`,
  },
  lists: {
    items: (n: number): string => countOf(n, 'item'),
    /** The first items of a list. */
    beginning: (items: readonly string[], hasMore: boolean): string => `${items.join(', ')}${hasMore ? ', …' : ''}`,
    edit: (name: string): string => `Edit ${name}`,
    remove: (name: string): string => `Remove ${name}`,
    new: 'New list',
    startWithExample: 'Start with an example',
    /** Its name is `animals`. */
    example: ['owl', 'fox', 'hare'],
    askRemove: (name: string): string => `Remove the list “${name}”?`,
    removeIt: 'Remove it',
    keep: 'Keep it',
    removeHint: 'Cells that draw from it send their text as written. Rows that were rendered stay as they are.',
    editTitle: 'Edit the list',
    save: 'Save the list',
    unsaved: 'Your change to this list has not been saved.',
    wrongName: 'Letters, digits, “-” and “_” only; no “__”, and no “_” at either end.',
    takenName: 'Another list has this name.',
    inCell: (cell: string): string => `In a cell: ${cell}`,
    itemsLabel: 'Items, one per line',
  },
  updates: {
    nobody:
      'This copy does not look for newer versions: it runs from a checkout, or was built without the address of a list of releases.',
    daily: (host: string): string =>
      `Look once a day, never during a night. ${host} is asked for a list; nothing about you is sent.`,
    previous: (version: string, date: string): string => `The previous version is ${version}, of ${date}.`,
    getBack: (version: string): string => `Get ${version} back`,
    look: 'Look for updates',
    get: (version: string): string => `Get ${version}`,
    goBack: 'Go back and restart…',
    update: 'Update and restart',
    is: (version: string): string => `This is version ${version}.`,
    isNewest: (version: string, lookedAt: string): string =>
      `This is version ${version}. No newer one is available (checked ${lookedAt}).`,
    isLooking: 'Looking for a newer version…',
    found: (version: string, own: string): string => `Version ${version} is available. This is ${own}.`,
    fetching: (version: string, received: string, all: string): string =>
      `Fetching version ${version}: ${received} of ${all}.`,
    ready: (version: string): string =>
      `Version ${version} is ready. The store is backed up first, then Nocturne restarts.`,
    installing: (version: string): string => `Version ${version} is being installed…`,
    getFrom: <T>(page: T): readonly (string | T)[] => [
      'This copy came as a package of your system, which does not update itself. Get the new one from ',
      page,
      ', and install it as you did this one.',
    ],
    whatIsIn: (version: string): string => `What is in version ${version}`,
    dateAndSize: (date: string, size: string | undefined): string => (size === undefined ? date : `${date}, ${size}`),
  },
  program: {
    what: 'Renders a spreadsheet of prompts overnight. The mark is a fermata: hold, until morning.',
    openLicences: 'Licences…',
    licences: 'Licences',
    packages: (n: number): string => `${n} packages`,
    licencesHint:
      'Software by others in this program. Nocturne itself is under the MIT licence; for what is in Electron and in Node, see LICENSES.chromium.html and LICENSE beside their programs.',
    documentation: 'Documentation',
  },
};
export type SettingsWords = typeof settingsWords;
