import { MeaningTable } from './HelpTables.tsx';

const LINES: readonly (readonly [title: string, text: string])[] = [
  [
    'Closing the window',
    'While a batch is rendering, you are asked. Keep running in the background: an icon in the tray shows that Nocturne is still there; click it, or start Nocturne again, to see the window. Stop and quit: everything is kept, and rendering continues the next time you open Nocturne.',
  ],
  [
    'The computer',
    'Nocturne keeps it from going to sleep while a batch is rendering; the screen may go dark. If the computer is put to sleep or loses power, nothing is lost and nothing is paid twice: Nocturne continues where it stopped.',
  ],
  [
    'Asked to wait',
    'The head of the batch says until when. Then rendering continues automatically, more slowly at first.',
  ],
  [
    'Hours and a time to finish by',
    'Outside the hours that you chose for a batch it waits: nothing is sent, and what the gateway has is fetched. Hours belong to the day on which they begin. With a time to finish by, nothing is sent that is not expected to be done by then; what is left pauses until you give it another time. The button When changes both, also while it runs.',
  ],
  [
    'Files on this computer',
    'A cell that takes addresses, such as images or audioUrl, may name a file, such as pictures/kite.png. Your gateway cannot read your disk: Nocturne puts such a file on a place of your own, a bucket, a WebDAV folder or where a command of yours puts it, once for each content, before a row that names it is paid. Choose the JSON file that describes the place under Files place before the start, or among the problems of the sheet. With "deleteAfterBatch": true in it, what was put is deleted there once no row can need it. “Files place…” under “More” in the head of a batch changes it, and looks at the files. What the file holds: see “Files on this computer” in the documentation.',
  ],
  [
    'Gates',
    'They look at each file once it is in its place, and flag what is black, silent, too short and the like; most of them need ffmpeg on this computer. If you say so, a take with a flagged file is rendered again, as a paid request within all limits, behind the rows that have no file yet. The flagged file stays among the earlier versions of its row. The button Gates in the head of a batch changes them, and tries them on the files that are there.',
  ],
  [
    'Several batches',
    'Batches of one gateway take turns. To let one go before the others, use Run first in its menu in the sidebar.',
  ],
  [
    'Batches to keep, and to part with',
    'The menu of a batch in the sidebar renames it, archives it or deletes it. Its folder keeps its name and all its files in any case. What is archived is folded at the end of the list, and comes back when you start it or say so. A deleted batch can be brought back for a day; what it has paid stays in the ledger and in your limits.',
  ],
  [
    'A store on a server',
    'Settings → Store opens one. Workers on other computers render it, with keys of their own: this window shows what they do, and starts, pauses and decides. It can be closed at any time. Beside the batches you see who works; Pause all holds every worker. A rehearsal needs the store on this computer.',
  ],
  ['No answer', 'A banner says why. Nocturne asks again and again, and continues as soon as there is an answer.'],
];

/** What happens between evening and morning, also after the window is closed. */
export function NightGuide() {
  return <MeaningTable lines={LINES} />;
}

const SAFETY: readonly (readonly [title: string, text: string])[] = [
  [
    'A profile that changes',
    'A profile decides where your prompts go, where files are fetched from, and what counts as failed. When you import one, or change an address, a host, a header, a pattern or a status, your system asks you first and shows each setting before and after. Agree only to what you wrote yourself or received from somebody you trust.',
  ],
  [
    'This connection is not encrypted',
    'The red box in Settings. The gateway is reached by plain http in a private network, as its profile allows. Everybody on that network can read your key and every prompt.',
  ],
  [
    'Outdated Electron',
    'The red line in the sidebar. Electron shows this window, and this version no longer gets security fixes. From a checkout, Nocturne starts with it only if you ask for that (--outdated-electron). Use it for rehearsals, not with a key: npm run setup fetches a current one if its release host can be reached.',
  ],
];

/** What protects the key and the prompts, and what red lines mean. */
export function SafetyGuide() {
  return <MeaningTable lines={SAFETY} />;
}
