import { expect, test, vi } from 'vitest';
import { endOf, EXIT } from '../../../src/cli/ending.ts';
import { storeProblem, StoreWriteError } from '../../../src/engine/store/open/store-problem.ts';

test('a store that goes away is the end of a command, in one line, and no bug', () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const away = new StoreWriteError(storeProblem('away', 'postgres://h/db: the server is gone'), undefined);
    expect(endOf(away, false)).toBe(EXIT.usage);
    expect(String(written.mock.calls[0]?.[0])).toMatch(
      /^error: postgres:\/\/h\/db: the server is gone\n {4}→ Start the server/u,
    );
    expect(endOf(new StoreWriteError(storeProblem('owned', 'taken'), undefined), false)).toBe(EXIT.storeOwned);
  } finally {
    written.mockRestore();
  }
});
