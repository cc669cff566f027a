/**
 * Sheets that are open or were left before they became batches, for as long as something was said about them: it applies
 * when one is open again, also after a crash.
 */
import { z } from 'zod';
import { present } from '../../../shared/domain/base/result.ts';
import { interpretation, reading, type SheetBeginning } from '../../../shared/ipc/opening.ts';
import type { Seen } from '../../../shared/ipc/route.ts';
import { startAnswers } from './start-forms.ts';

const leftSheet = z.object({
  /** The application knows it by this id until it ends, or has too many other sheets open. */
  sheetId: z.string(),
  isPasted: z.boolean(),
  recentId: z.string().exactOptional(),
  name: z.string(),
  headers: z.array(z.string()).readonly(),
  firstRow: z.array(z.string()).readonly(),
  isRehearsal: z.boolean(),
  /** How it was to be read, if not as it was recognised. */
  reading: reading.omit({ sheetId: true }).readonly(),
  understanding: interpretation.omit({ sheetId: true }).readonly(),
  /** How it was understood when it was read in other ways, by its headers then. */
  said: z.record(z.string(), interpretation.omit({ sheetId: true }).readonly()),
  answers: startAnswers.exactOptional(),
  /** It is open: on screen, behind another screen, or until the batch is made that its page asked for at its end. */
  wasOpen: z.enum(['shown', 'behind', 'importing']).exactOptional(),
});
export type LeftSheet = Seen<typeof leftSheet>;

/** What names a sheet, whichever id the application knows it by at the moment. */
type Named = Pick<SheetBeginning, 'sheetId' | 'recentId' | 'name' | 'columns' | 'preview'>;

const SHEETS_KEPT = 8;
/** The browser's storage holds about 5 million characters, and others keep something there, too. */
const MOST_CHARACTERS = 3_000_000;

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
    const others = this.#sheets.filter((other) => !isSame(other, left));
    this.#set([left, ...(left.wasOpen === undefined ? others : others.map(closed))]);
  }

  /** What was said about a sheet that is open again; nothing while a batch is being made of it. */
  find(sheet: Named): LeftSheet | undefined {
    const again = markOf(sheet);
    return this.#sheets.find(
      (other) => other.wasOpen !== 'importing' && (other.sheetId === sheet.sheetId || isSame(other, again)),
    );
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

  /** Keeps nothing more about a sheet; about the same one, opened once more, it does. */
  drop({ sheetId }: Pick<LeftSheet, 'sheetId'>): void {
    const others = this.#sheets.filter((other) => other.sheetId !== sheetId);
    if (others.length < this.#sheets.length) this.#set(others);
  }

  /** Nothing is open any more: what is kept waits until it is. */
  noteClosed(): void {
    this.#set(this.#sheets.map(closed));
  }

  /** Keeps nothing more about a file. */
  forget(recentId: string): void {
    this.#set(this.#sheets.filter((sheet) => sheet.recentId !== recentId));
  }

  #set(sheets: readonly LeftSheet[]): void {
    this.#sheets = sheets.slice(0, SHEETS_KEPT);
    let room = MOST_CHARACTERS;
    // What does not fit is kept only as long as this page is.
    const fitting = this.#sheets
      .map((sheet) => JSON.stringify(sheet))
      .filter((text) => {
        const fits = text.length <= room;
        if (fits) room -= text.length;
        return fits;
      });
    if (this.#fits(fitting)) return;
    // Others have left less room than that: the newest ones come first.
    const kept: string[] = [];
    for (const text of fitting) {
      kept.push(text);
      if (!this.#fits(kept)) kept.pop();
    }
    this.#fits(kept);
  }

  #fits(texts: readonly string[]): boolean {
    try {
      this.#keep(`[${texts.join(',')}]`);
      return true;
    } catch {
      return false;
    }
  }
}

function closed(sheet: LeftSheet): LeftSheet {
  const { wasOpen: _, ...others } = sheet;
  return others;
}

/** The headers of a sheet's columns, in order. */
export function headersOf({ columns }: Pick<SheetBeginning, 'columns'>): readonly string[] {
  return columns.map(({ header }) => header);
}

/** What a sheet is known again by. */
export interface SheetMark {
  readonly recentId?: string;
  readonly name: string;
  readonly headers: readonly string[];
  readonly firstRow: readonly string[];
}

/** What an open sheet is known again by. */
export function markOf(sheet: Named): SheetMark {
  const { recentId, name, preview } = sheet;
  return { ...present({ recentId }), name, headers: headersOf(sheet), firstRow: preview.rows[0] ?? [] };
}

/** The same, of a sheet that was left. */
export function markIn({ recentId, name, headers, firstRow }: LeftSheet): SheetMark {
  return { ...present({ recentId }), name, headers, firstRow };
}

/** A file is known by its place, whatever has become of its content; any other sheet by how it begins. */
export function isSame(a: SheetMark, b: SheetMark): boolean {
  if (a.recentId !== undefined || b.recentId !== undefined) return a.recentId === b.recentId;
  const beginning = ({ name, headers, firstRow }: SheetMark): string => JSON.stringify([name, headers, firstRow]);
  return beginning(a) === beginning(b);
}

function read(kept: string | undefined): readonly LeftSheet[] {
  if (kept === undefined) return [];
  try {
    return z
      .array(z.unknown())
      .parse(JSON.parse(kept))
      .flatMap((one) => leftSheet.safeParse(one).data ?? []);
  } catch {
    return [];
  }
}

/** Whether anything was said about a sheet that is not known again by its headers alone. */
export function saysMore({ answers, reading, understanding }: LeftSheet): boolean {
  const { variables, choices, accounts, ignored } = understanding;
  const isPlain = choices === 'draw' && accounts === undefined && ignored === undefined;
  const isRecognised = Object.keys({ ...reading, ...variables }).length === 0;
  return answers !== undefined || !isPlain || !isRecognised;
}
