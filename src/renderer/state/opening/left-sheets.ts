/** Opened sheets that were left before they became batches: when one is open again, what was said about it applies. */
import { z } from 'zod';
import { interpretation, reading, type SheetBeginning } from '../../../shared/ipc/opening.ts';
import type { Seen } from '../../../shared/ipc/route.ts';
import { startAnswers } from './start-forms.ts';

const leftSheet = z.object({
  /** The application knows it by this id until it ends, or has too many other sheets open. */
  sheetId: z.string(),
  recentId: z.string().exactOptional(),
  name: z.string(),
  headers: z.array(z.string()).readonly(),
  isRehearsal: z.boolean(),
  /** How it was to be read, if not as it was recognised. */
  reading: reading.omit({ sheetId: true }).readonly(),
  understanding: interpretation.omit({ sheetId: true }).readonly(),
  answers: startAnswers.exactOptional(),
  /** It was open when its page ended: `shown`, or behind another screen. */
  wasOpen: z.enum(['shown', 'behind']).exactOptional(),
});
export type LeftSheet = Seen<typeof leftSheet>;

/** What names a sheet, whichever id the application knows it by at the moment. */
type Named = Pick<SheetBeginning, 'recentId' | 'name' | 'columns'>;

const SHEETS_KEPT = 8;

/** What was said about the sheets that were left last, kept with every change; newest first. */
export class LeftSheets {
  #sheets: readonly LeftSheet[];
  readonly #keep: (text: string) => void;

  constructor(kept: string | undefined, keep: (text: string) => void) {
    this.#sheets = read(kept);
    this.#keep = keep;
  }

  /** Keeps what was said about a sheet, in place of what was said about it before. */
  put(left: LeftSheet): void {
    this.#set([left, ...this.#sheets.filter((other) => !isSame(other, left))]);
  }

  /** What was said about a sheet that is open again. */
  find(sheet: Named): LeftSheet | undefined {
    const again = { ...sheet, headers: headersOf(sheet) };
    return this.#sheets.find((other) => isSame(other, again));
  }

  /** The same, which is kept no longer. */
  take(sheet: Named): LeftSheet | undefined {
    const left = this.find(sheet);
    if (left !== undefined) this.#set(this.#sheets.filter((other) => other !== left));
    return left;
  }

  /** The sheet that was open when the page before this one ended. */
  lastOpen(): LeftSheet | undefined {
    return this.#sheets.find(({ wasOpen }) => wasOpen !== undefined);
  }

  /** Nothing is open any more: what is kept waits until it is. */
  noteClosed(): void {
    this.#set(
      this.#sheets.map((sheet) => {
        const { wasOpen: _, ...others } = sheet;
        return others;
      }),
    );
  }

  #set(sheets: readonly LeftSheet[]): void {
    this.#sheets = sheets.slice(0, SHEETS_KEPT);
    try {
      this.#keep(JSON.stringify(this.#sheets));
    } catch {
      // More than the browser's storage holds: it is kept as long as this page is.
    }
  }
}

/** The headers of a sheet's columns, in order. */
export function headersOf({ columns }: Pick<SheetBeginning, 'columns'>): readonly string[] {
  return columns.map(({ header }) => header);
}

/** A file is known by its place, whatever has become of its columns; any other sheet by its name and its headers. */
function isSame(
  a: Pick<LeftSheet, 'recentId' | 'name' | 'headers'>,
  b: { readonly recentId?: string | undefined; readonly name: string; readonly headers: readonly string[] },
): boolean {
  if (a.recentId !== undefined || b.recentId !== undefined) return a.recentId === b.recentId;
  return a.name === b.name && JSON.stringify(a.headers) === JSON.stringify(b.headers);
}

function read(kept: string | undefined): readonly LeftSheet[] {
  if (kept === undefined) return [];
  try {
    return z.array(leftSheet).catch([]).parse(JSON.parse(kept));
  } catch {
    return [];
  }
}
