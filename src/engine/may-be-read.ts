import { statSync } from 'node:fs';

/**
 * True where reading a file that the user named comes to an end: it is a plain file, or what a shell hands over
 * (`<(…)`, `/dev/stdin`), and no pipe that lies around or a device. Throws the error of the disk.
 */
export function mayBeRead(path: string): boolean {
  return /^\/(?:dev\/(?:fd\/\d+|stdin)|proc\/self\/fd\/\d+)$/u.test(path) || statSync(path).isFile();
}
