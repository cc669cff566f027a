/** A media folder's path as the store compares it: without a separator at its end, unless it is a root. */
export function folderKey(folder: string): string {
  return folder.replace(/(?<=[^:])[/\\]+$/, '');
}
