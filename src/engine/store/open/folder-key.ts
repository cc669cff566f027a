import { trimEnd } from '../../../shared/domain/base/text.ts';

/** A media folder's path as the store compares it: without a separator at its end, unless it is a root. */
export function folderKey(folder: string): string {
  const trimmed = trimEnd(folder, (char) => char === '/' || char === '\\');
  return trimmed === '' || trimmed.endsWith(':') ? folder.slice(0, trimmed.length + 1) : trimmed;
}
