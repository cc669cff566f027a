import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { FILE_LOOKS, watchFile } from '../../../../src/engine/sheet-files/watch-file.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { sheetFile } from '../../../support/sheet-files.ts';

/** A file whose state is what the test says. */
function watched(first: string | undefined, known?: string) {
  const clock = new FakeClock();
  const onChanged = vi.fn<() => void>();
  const file = { state: first };
  const content = (): string | undefined => file.state?.replace(/ touched.*/, '');
  const looks = { state: () => Promise.resolve(file.state), hash: () => Promise.resolve(content()) };
  const stop = watchFile({ path: 'songs.csv', clock, known, onChanged, looks });
  return { clock, onChanged, stop, file };
}

describe('a watched file', () => {
  test('that stays as it is is not told', async () => {
    const { clock, onChanged } = watched('a');
    await clock.advance(60_000);
    expect(onChanged).not.toHaveBeenCalled();
  });

  test('is told once when it has come to rest', async () => {
    const { clock, onChanged, file } = watched('a');
    await clock.advance(5_000);
    file.state = 'b';
    await clock.advance(2_000);
    expect(onChanged).not.toHaveBeenCalled();
    await clock.advance(60_000);
    expect(onChanged).toHaveBeenCalledTimes(1);
    file.state = 'c';
    await clock.advance(60_000);
    expect(onChanged).toHaveBeenCalledTimes(2);
  });

  test('is not told while it is being written', async () => {
    const { clock, onChanged, file } = watched('a', 'a');
    for (let step = 0; step < 20; step++) {
      file.state = `half ${step}`;
      await clock.advance(2_000);
    }
    expect(onChanged).not.toHaveBeenCalled();
    await clock.advance(4_000);
    expect(onChanged).toHaveBeenCalledTimes(1);
  });

  test('that goes and comes back as it was is not told, as another one it is', async () => {
    const { clock, onChanged, file } = watched('a');
    await clock.advance(6_000);
    file.state = undefined;
    await clock.advance(10_000);
    file.state = 'a';
    await clock.advance(10_000);
    expect(onChanged).not.toHaveBeenCalled();
    file.state = undefined;
    await clock.advance(10_000);
    file.state = 'b';
    await clock.advance(10_000);
    expect(onChanged).toHaveBeenCalledTimes(1);
  });

  test('that is only touched is not told', async () => {
    const { clock, onChanged, file } = watched('a', 'a');
    await clock.advance(10_000);
    file.state = 'a touched at ten';
    await clock.advance(10_000);
    expect(onChanged).not.toHaveBeenCalled();
  });

  test('that changed while nobody watched is told', async () => {
    const { clock, onChanged } = watched('b', 'a');
    await clock.advance(60_000);
    expect(onChanged).toHaveBeenCalledTimes(1);
  });

  test('is left alone when nobody wants to know any more', async () => {
    const { clock, onChanged, stop, file } = watched('a');
    await clock.advance(6_000);
    file.state = 'b';
    stop();
    await clock.advance(60_000);
    expect(onChanged).not.toHaveBeenCalled();
  });
});

test('the state of a file changes when it is written, replaced or removed', async () => {
  const file = sheetFile('row\na\n');
  utimesSync(file, 1_000, 1_000);
  const first = await FILE_LOOKS.state(file);
  expect(await FILE_LOOKS.state(file)).toBe(first);
  writeFileSync(file, 'row\nb\n');
  expect(await FILE_LOOKS.state(file)).not.toBe(first);
  const other = sheetFile('row\na\n');
  utimesSync(other, 1_000, 1_000);
  renameSync(other, file);
  expect(await FILE_LOOKS.state(file)).not.toBe(first);
  rmSync(file);
  expect(await FILE_LOOKS.state(file)).toBeUndefined();
});
