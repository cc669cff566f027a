import type { Reference } from './reference.ts';

/** What a reference may be, for messages. */
export const REFERENCE_FORMS = '{{ROW.taskId}}, {{ROW.result.musicUrl}} or {{ROW.output.1.url}}';

/**
 * The ways to read the inside of `{{…}}`, the likeliest first; empty where it is no reference. An id may have dots in
 * it, so that `a.result.b.result.c` is about `a.result.b` or about `a`: which of them is a row decides.
 */
export function readReference(written: string): readonly Reference[] {
  const text = written.trim();
  if (text.length > LONGEST_REFERENCE) return [];
  const readings: Reference[] = [];
  const taskId = /^(.+)\.taskId$/su.exec(text);
  if (taskId?.[1]) readings.push({ row: taskId[1].trim(), path: { kind: 'task-code' }, text });
  const output = /^(.+)\.output\.([1-9]\d{0,3})\.url$/su.exec(text);
  if (output?.[1]) {
    readings.push({ row: output[1].trim(), path: { kind: 'output-url', index: Number(output[2]) }, text });
  }
  for (let at = text.lastIndexOf(RESULT); at > 0; at = text.lastIndexOf(RESULT, at - 1)) {
    const path = text.slice(at + RESULT.length).split('.');
    const row = text.slice(0, at).trim();
    if (row !== '' && path.every((name) => name.trim() !== '')) {
      readings.push({ row, path: { kind: 'result', path }, text });
    }
  }
  return readings.filter(({ row }) => row !== '');
}

const RESULT = '.result.';
/** An id has at most 100 characters, and a path into a result hardly more. */
const LONGEST_REFERENCE = 500;
