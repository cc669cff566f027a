import { expect, test } from 'vitest';
import { developmentOrigin } from '../../../src/main/shell/app-protocol.ts';

const FLAG = '--renderer-from-sources';

test.each([
  [['.'], 'http://localhost:5173/', undefined],
  [['.', FLAG], 'http://localhost:5173/', 'http://localhost:5173'],
  [['.', FLAG], 'http://[::1]:5173/', 'http://[::1]:5173'],
  [['.', FLAG], 'https://evil.example/', undefined],
  [['.', FLAG], 'http://evil.example/', undefined],
  [['.', FLAG], 'file:///tmp/page.html', undefined],
  [['.', FLAG], 'nonsense', undefined],
  [['.', FLAG], undefined, undefined],
])('the arguments %j and the address %s give the development origin %s', (args, address, expected) => {
  expect(developmentOrigin(args, address)).toBe(expected);
});
