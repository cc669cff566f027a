import { describe, expect, test } from 'vitest';
import { problemTexts } from '../../../../src/cli/describe.ts';
import { groupSameProblems, type SheetProblem } from '../../../../src/shared/domain/sheet/problems.ts';

const unknown = (name: string, line: number, column = 'operation'): SheetProblem => ({
  severity: 'error',
  code: 'operation-unknown',
  line,
  row: `row-${line}`,
  column,
  message: `There is no operation “${name}”.`,
  remedy: 'The operations are music, image.',
});

describe('one mistake that was made in many rows', () => {
  const problems = [
    unknown('clip', 2),
    unknown('song', 3),
    ...Array.from({ length: 61 }, (_, index) => unknown('clip', index + 4)),
    unknown('clip', 2, 'Kind'),
  ];

  test('is one line with how many there are, and the first of it is kept to jump to', () => {
    const groups = groupSameProblems(problems);
    expect(groups.map(({ problem, count }) => [problem.message, problem.line, count])).toEqual([
      ['There is no operation “clip”.', 2, 62],
      ['There is no operation “song”.', 3, 1],
      ['There is no operation “clip”.', 2, 1],
    ]);
    expect(groups[0]?.lines.slice(0, 3)).toEqual([2, 4, 5]);
    expect(groups[0]?.lines.length).toBeLessThan(20);
  });

  test('is said once on the command line, too', () => {
    const [first, second] = problemTexts(problems, { headers: ['operation', 'prompt'] });
    expect(first?.text).toMatch(
      /^error: 62 rows, line 2, 4, 5, .* …, column operation: There is no operation “clip”\./,
    );
    expect(second?.text).toMatch(/^error: line 3, row row-3, column operation: /);
    expect(problemTexts(problems, { headers: ['operation', 'prompt'] })).toHaveLength(3);
  });

  test('is said there with the header of its sheet behind the column', () => {
    const sheet = { headers: ['Type', 'Text'], mapping: { Type: 'operation' } };
    expect(problemTexts([unknown('song', 3)], sheet)[0]?.text).toMatch(
      /^error: line 3, row row-3, column operation \(“Type”\): /,
    );
  });
});

test('the command line names its own options for a sheet without operations, and for nothing else', () => {
  const missing: SheetProblem = {
    severity: 'error',
    code: 'no-operation-column',
    message: 'None.',
    remedy: 'Add one.',
  };
  const [told] = problemTexts([missing], { headers: ['prompt'] });
  expect(told?.text).toMatch(/→ Add one\. On the command line: --operation NAME, --header-line N\.$/u);
  expect(problemTexts([unknown('song', 3)], { headers: ['operation'] })[0]?.text).not.toContain('--operation');
});
