/**
 * The form in which two paths of a media folder are the same file on a disk that ignores case or normalises Unicode.
 * Compare with it, never write to it.
 */
export function foldPath(path: string): string {
  return path.normalize('NFC').toLowerCase().normalize('NFC');
}

/** A media folder's path as the store keeps it: without a separator at its end. */
export function folderKey(folder: string): string {
  return folder.length > 1 ? folder.replace(/[/\\]+$/, '') || folder : folder;
}
