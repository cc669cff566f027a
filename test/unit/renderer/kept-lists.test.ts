import { expect, test } from 'vitest';
import { KeptLists } from '../../../src/renderer/state/kept-lists.ts';
import { ok } from '../../../src/shared/domain/base/result.ts';

/** The lists of a folder, on a disk that may tell names apart by case or not. */
function rig(names: readonly string[], isSame: (a: string, b: string) => boolean = (a, b) => a === b) {
  const files = new Map(names.map((name) => [name, `${name}\n`]));
  const fileOf = (name: string): string => [...files.keys()].find((other) => isSame(other, name)) ?? name;
  const ask = ((route: string, input: { readonly name: string; readonly text: string }) => {
    if (route === 'lists.set') files.set(fileOf(input.name), input.text);
    // As the folder removes it: the file with exactly this name.
    if (route === 'lists.remove') files.delete(input.name);
    return Promise.resolve(ok([...files].map(([name, text]) => ({ name, items: 1, text }))));
  }) as never;
  return { lists: new KeptLists({ ask, onChanged: () => undefined }), files };
}

test('a list that is renamed is the old one no longer', async () => {
  const { lists, files } = rig(['animals', 'birds']);
  await lists.read();
  expect(await lists.save('beasts', 'owl\n', 'animals')).toBe(true);
  expect([...files]).toEqual([
    ['birds', 'birds\n'],
    ['beasts', 'owl\n'],
  ]);
});

test('no list takes the name of another one, whose items would be lost', async () => {
  const { lists } = rig(['animals', 'Birds', 'birds']);
  await lists.read();
  const taken = (name: string, was?: string): boolean => lists.isTaken(name, was);
  expect([taken('animals'), taken('animals', 'birds'), taken('ANIMALS')]).toEqual([true, true, true]);
  expect([taken('beasts'), taken('animals', 'animals'), taken('Animals', 'animals')]).toEqual([false, false, false]);
  // Both were there before.
  expect([taken('birds', 'birds'), taken('Birds', 'Birds')]).toEqual([false, false]);
});

test('a list is not lost when only the case of its name is changed, on a disk that does not tell case apart', async () => {
  const { lists, files } = rig(['animals'], (a, b) => a.toLowerCase() === b.toLowerCase());
  await lists.read();
  expect(await lists.save('Animals', 'owl\n', 'animals')).toBe(true);
  expect([...files]).toEqual([['animals', 'owl\n']]);
});
