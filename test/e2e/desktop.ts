/**
 * The desktop of a worker: tests that run side by side must not share a clipboard, a keyring or the focus of a screen.
 * The first worker is on the desktop that Playwright was started on; one is made for every other.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const WITH_DESKTOP = join(import.meta.dirname, '../../scripts/with-desktop.ts');
/** Prints its environment, and lives as long as the process that started it. */
const TELL = 'console.log(JSON.stringify(process.env)); process.stdin.resume().on("end", () => process.exit())';

/** Moves this process, and so everything that it starts from now on, to a desktop of its own. */
export async function moveToOwnDesktop(): Promise<void> {
  if (process.platform !== 'linux' || Number(process.env['TEST_PARALLEL_INDEX'] ?? 0) === 0) return;
  const desktop = spawn(process.execPath, [WITH_DESKTOP, process.execPath, '-e', TELL], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  for await (const line of createInterface({ input: desktop.stdout })) {
    Object.assign(process.env, JSON.parse(line));
    break;
  }
  desktop.unref();
}
