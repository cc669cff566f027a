/** The system's clipboard, as the two Electrons that Nocturne runs on have it. */
// `ClipboardItem` is looked for when it is needed: an import by its name does not even start where there is none.
import * as electron from 'electron';

const { clipboard } = electron;

/** What a program put into the clipboard; each may be empty. */
export interface ClipboardContent {
  readonly html: string;
  readonly text: string;
}

/** Before Electron 45 the clipboard answers at once and has a method for each format. */
interface EarlierClipboard {
  readHTML(): string;
  readText(): string;
  write(content: ClipboardContent): void;
}

export async function readSystemClipboard(): Promise<ClipboardContent> {
  const earlier = earlierClipboard();
  if (earlier !== undefined) return { html: earlier.readHTML(), text: earlier.readText() };
  const items = await clipboard.read();
  const item = items.find(({ types }) => types.includes('text/html'));
  const html = item === undefined ? '' : await (await item.getType('text/html')).text();
  return { html, text: await clipboard.readText() };
}

export async function writeSystemClipboard(content: ClipboardContent): Promise<void> {
  const earlier = earlierClipboard();
  if (earlier !== undefined) earlier.write(content);
  else await clipboard.write([new electron.ClipboardItem({ 'text/html': content.html, 'text/plain': content.text })]);
}

function earlierClipboard(): EarlierClipboard | undefined {
  return 'readHTML' in clipboard ? (clipboard as unknown as EarlierClipboard) : undefined;
}
