import { expect, test } from 'vitest';
import {
  hasTag,
  LONGEST_TAG,
  MOST_TAGS,
  tagsIn,
  tagsOfAll,
  withTags,
} from '../../../../src/shared/domain/base/tags.ts';
import { settings } from '../../../contract/task-store-fixtures.ts';

test('a text has each of its tags once, as it was written first, and neither too long nor too many', () => {
  expect(tagsIn(' Night,  client  Anna ,, NIGHT，夏天、Été\nété')).toEqual(['Night', 'client Anna', '夏天', 'Été']);
  expect(tagsIn(' , ')).toEqual([]);
  expect(tagsIn('x'.repeat(LONGEST_TAG + 5))).toEqual(['x'.repeat(LONGEST_TAG)]);
  const owls = '🦉'.repeat(LONGEST_TAG);
  expect(tagsIn(`${owls}🦉`)).toEqual([owls]);
  expect(tagsIn(Array.from({ length: MOST_TAGS + 5 }, (_, i) => `t${i}`).join(','))).toHaveLength(MOST_TAGS);
});

test('tags are the same in either case, and belong to the settings only while there are any', () => {
  const tagged = withTags(settings(), ['Night', 'night', 'a, b']);
  expect(tagged.tags).toEqual(['Night', 'a', 'b']);
  expect(withTags(tagged, [])).toEqual(settings());
  expect([hasTag(tagged, 'NIGHT'), hasTag(settings(), 'night')]).toEqual([true, false]);
  expect(tagsOfAll([settings(), tagged, { tags: ['B', 'owls'] }])).toEqual(['a', 'B', 'Night', 'owls']);
});
