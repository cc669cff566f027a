import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CSV_BYTE_ORDER_MARK, csvLine } from '../../shared/domain/base/csv-text.ts';
import { findTemplate, TEMPLATES, type SheetTemplate } from '../../shared/domain/operations/templates.ts';
import type { Console } from '../console.ts';
import { count } from '../describe.ts';
import { EXIT, type ExitCode, wrongUsage } from '../ending.ts';

/** Lists the templates. */
export function templatesCommand(console: Console): ExitCode {
  console.document(
    TEMPLATES.map(({ name, kind, title, makes, rows, submits }) => ({
      name,
      kind,
      title,
      makes,
      rows: rows.length,
      submits,
    })),
  );
  const width = Math.max(...TEMPLATES.map(({ name }) => name.length));
  for (const { name, makes, rows, submits } of TEMPLATES) {
    const size = rows.length === 0 ? 'no rows' : `${count(rows.length, 'row')}, ${count(submits, 'paid request')}`;
    console.line(`${name.padEnd(width)}  ${makes} (${size})`);
  }
  return EXIT.done;
}

/** Writes a template as a CSV file. Never replaces a file. Throws {@link CommandFailure}. */
export function newCommand(console: Console, named: string, file: string): ExitCode {
  const template = findTemplate(named);
  if (template === undefined) {
    throw wrongUsage(`There is no template ${named}.`, 'List the templates with: nocturne templates');
  }
  const target = path.resolve(file);
  if (path.extname(target).toLowerCase() !== '.csv') {
    throw wrongUsage(`${file}: not a CSV file`, 'Give a name that ends in .csv.');
  }
  if (existsSync(target)) {
    throw wrongUsage(`${target} already exists.`, 'Give another name; existing files are not replaced.');
  }
  try {
    writeFileSync(target, textOf(template), { flag: 'wx' });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw wrongUsage(`${target} cannot be written: ${why}`, 'Name a file in a writable folder.');
  }
  const { name, rows, submits, makes } = template;
  console.document({ template: name, file: target, rows: rows.length, submits });
  console.line(`${target}: ${makes}`);
  console.line(
    rows.length === 0
      ? 'Write your rows, then: nocturne check FILE'
      : `${count(rows.length, 'row')}, ${count(submits, 'paid request')}. Look at it with: nocturne check FILE`,
  );
  return EXIT.done;
}

function textOf({ headers, rows }: SheetTemplate): string {
  return CSV_BYTE_ORDER_MARK + [headers, ...rows].map(csvLine).join('');
}
