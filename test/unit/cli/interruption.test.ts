import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Console } from '../../../src/cli/console.ts';
import { interruption } from '../../../src/cli/interruption.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test.skipIf(process.platform === 'win32')(
  'a terminal that is closed asks once to end, although the system and its shell both say so',
  async () => {
    const hadTerminal = process.stdin.isTTY;
    process.stdin.isTTY = true;
    onTestFinished(() => {
      process.stdin.isTTY = hadTerminal;
    });
    const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
    const said: string[] = [];
    const interrupted = interruption({ problem: (text: string) => said.push(text) } as unknown as Console, 'Ending.');
    onTestFinished(() => interrupted.stopListening());
    process.emit('SIGHUP');
    process.emit('SIGHUP');
    expect(await interrupted.happened).toBe('interrupted');
    expect([said, exit.mock.calls]).toEqual([['Ending.'], []]);
    process.emit('SIGINT');
    expect(exit).toHaveBeenCalledExactlyOnceWith(130);
  },
);
