import { expect, test } from 'vitest';
import { findCircles, repeatedExports, sourceFile } from '../../../scripts/house-rules.ts';

test('a name that two files define is found, and one that is only passed on is not', () => {
  const files = [
    sourceFile('src/a.ts', `export const one = 1;\nexport type Both = string;\nfunction kept() {}\nexport { kept };`),
    sourceFile('src/b.ts', `export interface Both {}\nexport { one } from './a.ts';\nexport function kept() {}`),
  ];
  expect(repeatedExports(files)).toEqual([
    { name: 'Both', definedIn: ['src/a.ts', 'src/b.ts'] },
    { name: 'kept', definedIn: ['src/a.ts', 'src/b.ts'] },
  ]);
});

test('a circle of imports is found whole, also one of types alone', () => {
  const files = [
    sourceFile('src/a.ts', `import type { B } from './in/b.ts';`),
    sourceFile('src/in/b.ts', `import { c } from './c.ts';`),
    sourceFile('src/in/c.ts', `export type A = import('../a.ts').A;`),
    sourceFile('src/d.ts', `import { a } from './a.ts';`),
  ];
  expect(findCircles(files)).toEqual([['src/a.ts', 'src/in/b.ts', 'src/in/c.ts']]);
});

test('files that lead to each other in one direction are no circle', () => {
  const files = [
    sourceFile('src/a.ts', `import './b.ts';\nimport './c.ts';`),
    sourceFile('src/b.ts', `import './c.ts';`),
    sourceFile('src/c.ts', ''),
  ];
  expect(findCircles(files)).toEqual([]);
});
