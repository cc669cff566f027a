import { expect, test } from 'vitest';
import { waysPast } from '../../../src/cli/options/spending-options.ts';

test.each([
  ['batch', 'requests', ['nocturne resume b --max-submits N']],
  ['batch', 'cost', ['nocturne resume b --max-cost AMOUNT']],
  ['night', 'requests', ['nocturne limits --night-requests N && nocturne resume b']],
  ['month', 'cost', ['nocturne limits --month-cost AMOUNT && nocturne resume b']],
  ['batch', 'price', ['nocturne resume b --profile FILE', 'nocturne resume b --max-cost off']],
  ['night', 'price', ['nocturne resume b --profile FILE', 'nocturne limits --night-cost off && nocturne resume b']],
] as const)('past the limit of a %s in %s', (of, lacks, ways) => {
  expect(waysPast({ of, lacks }, 'b')).toEqual(ways);
});
