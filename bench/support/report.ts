/** One comparison: ours against a rival that ran in the same run. */
export interface Line {
  readonly what: string;
  readonly unit: string;
  readonly ours: number;
  /** Absent if the goal is absolute. */
  readonly rival?: number;
  readonly goal?: Goal;
}

/** `value` is the ratio ours / rival if there is a rival, otherwise our own figure. */
export interface Goal {
  /** Its number in the design, such as `1a`. */
  readonly id?: string;
  readonly bound: 'at most' | 'at least';
  readonly value: number;
}

/** The findings of a bench entry. */
export interface Report {
  readonly title: string;
  readonly lines: readonly Line[];
  /** Series, conditions and whatever a reader needs to judge the figures. */
  readonly notes: readonly string[];
}

/** Prints a report as a table: the ratio and the goal matter; the figures are only for this machine. */
export function printReport(report: Report, seconds: number): void {
  console.log(`\n## ${report.title}\n`);
  if (report.lines.length > 0) printTable([HEADINGS, ...report.lines.map(cellsOf)]);
  console.log();
  for (const note of report.notes) console.log(note);
  console.log(`Took ${Math.round(seconds)} s.`);
}

/** All goals that were measured, in order, as a table in Markdown; empty if there are none. */
export function tableOfGoals(reports: readonly Report[]): readonly string[] {
  const lines = reports.flatMap((report) => report.lines).filter(({ goal }) => goal?.id !== undefined);
  if (lines.length === 0) return [];
  const sorted = lines.toSorted((a, b) => (a.goal?.id ?? '').localeCompare(b.goal?.id ?? '', 'en', { numeric: true }));
  return tableOf([['', ...HEADINGS], ...sorted.map((line) => [line.goal?.id ?? '', ...cellsOf(line)])]);
}

const HEADINGS = ['what', 'unit', 'ours', 'rival', 'ours / rival', 'goal', ''];

function cellsOf(line: Line): readonly string[] {
  return [
    line.what,
    line.unit,
    formatFigure(line.ours),
    line.rival === undefined ? '–' : formatFigure(line.rival),
    line.rival === undefined ? '–' : `${formatFigure(line.ours / line.rival)}×`,
    goalText(line),
    verdictOf(line),
  ];
}

/** Prints rows of cells as a table; the first row is its head. */
export function printTable(rows: readonly (readonly string[])[]): void {
  for (const line of tableOf(rows)) console.log(line);
}

function tableOf(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.flatMap((row, i) => [
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
    ...(i === 0 ? [`| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`] : []),
  ]);
}

function goalText({ goal, rival }: Line): string {
  if (goal === undefined) return '–';
  const sign = goal.bound === 'at most' ? '≤' : '≥';
  return `${sign} ${formatFigure(goal.value)}${rival === undefined ? '' : '×'}`;
}

function verdictOf({ goal, ours, rival }: Line): string {
  if (goal === undefined) return '';
  const figure = rival === undefined ? ours : ours / rival;
  const isMet = goal.bound === 'at most' ? figure <= goal.value : figure >= goal.value;
  return isMet ? 'met' : 'NOT MET';
}

/** Three significant digits, without an exponent. */
export function formatFigure(figure: number): string {
  if (!Number.isFinite(figure)) return String(figure);
  const digits = figure === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(figure))));
  return figure.toLocaleString('en-GB', { maximumFractionDigits: Math.min(digits, 4) });
}
