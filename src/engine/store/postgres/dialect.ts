/**
 * The store's SQL as PostgreSQL accepts it. What cannot be translated by the text alone is a function in the schema.
 */

/** Escapes every NUL in a text, and itself: PostgreSQL stores no NUL. It is not a character in any script. */
const ESCAPE = '\uFDD0';
const NUL = `${ESCAPE}0`;

/** A text as it is stored: without NUL, and distinct from every other text. */
export function storedText(text: string): string {
  if (!text.includes('\0') && !text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPE, ESCAPE + ESCAPE).replaceAll('\0', NUL);
}

/** A text as it was before it was stored. */
export function textOfStored(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replace(/\uFDD0([0\uFDD0])/gu, (_, after: string) => (after === '0' ? '\0' : ESCAPE));
}

/**
 * A statement translated for PostgreSQL: its placeholders; list positions within a path; lists as arrays, which can use
 * an index; names in the case in which they are read; patterns that ignore case, as in SQLite, except our own patterns
 * in the statement, which are written as stored; and without hints that only SQLite accepts.
 */
export function toPostgres(sql: string): string {
  let last = 0;
  return sql
    .replaceAll(/\b(?:NOT INDEXED|INDEXED BY \w+)\b/gu, '')
    .replaceAll(/CROSS JOIN (\w+)\s+ON/gu, 'JOIN $1 ON')
    .replaceAll(/(?<=[\s(,])\+(?=[a-z_])/gu, '')
    .replaceAll(/(NOT )?IN \(SELECT (value|atom) FROM json_each\((\?\d*)\)\)/gu, (_, not, what, list) => {
      const values = `${what === 'value' ? 'numbers_in' : 'texts_in'}(${list})`;
      return not === undefined ? `= ANY (${values})` : `<> ALL (${values})`;
    })
    .replaceAll(/\bLIKE (?=\?)/gu, 'ILIKE ')
    .replaceAll(/(?<='\$[.\w]*)\[(\d+)\](?=')/gu, '.$1')
    .replaceAll('char(0)', `'${NUL}'`)
    .replaceAll(/ AS ([a-z]+[A-Z]\w*)/gu, ' AS "$1"')
    .replaceAll(/\?(\d*)/gu, (_, digits: string) => {
      // As SQLite counts them: one without a number follows the largest so far.
      const number = digits === '' ? last + 1 : Number(digits);
      last = Math.max(last, number);
      return `$${number}`;
    });
}
