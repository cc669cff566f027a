/** A ledger as lines of a terminal, and as a note in Markdown. */
import { localTime } from '../../shared/domain/base/text.ts';
import type { Timeline } from '../../shared/domain/ledger/ledger-view.ts';
import type { LedgerPaper, PaperGroup } from './ledger-paper.ts';

const BARS = '▁▂▃▄▅▆▇█';
const BARS_WIDE = 48;
const LABEL_WIDE = 11;

/** The lines that `nocturne ledger` prints. */
export function textLines(paper: LedgerPaper): readonly string[] {
  const wide = Math.max(...paper.stages.map(({ takes }) => takes.length));
  const [needy, rest] = [true, false].map((needs) => paper.groups.filter(({ needsYou }) => needsYou === needs));
  return [
    paper.title,
    ...paper.about.map((line) => `  ${line}`),
    '',
    ...paper.stages.map(({ name, takes, lost }) => {
      const figure = `  ${name.padEnd(LABEL_WIDE)} ${takes.padStart(wide)}`;
      return lost === '' ? figure : `${figure}   without ${lost}`;
    }),
    ...part('What needs you', needy?.flatMap(groupLines) ?? []),
    ...part('The rest', rest?.flatMap(groupLines) ?? []),
    ...part('Money', [
      ...paper.money.map((line) => `  ${line}`),
      ...paper.costs.map(({ of, requests, money }) => `    ${of}: ${money === '' ? requests : money}`),
    ]),
    ...part('The night', [...timelineLines(paper.timeline), ...paper.pauses.map((pause) => `  ${pause}`)]),
  ];
}

function part(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines];
}

function groupLines({ head, do: deed, commands, rows }: PaperGroup): readonly string[] {
  return [
    `  ${head}`,
    `      → ${deed}`,
    ...commands.map((command) => `        ${command}`),
    ...(rows === '' ? [] : [`      ${rows}`]),
  ];
}

function timelineLines(timeline: Timeline | undefined): readonly string[] {
  if (timeline === undefined) return [];
  const { points, from, to } = timeline;
  const line = (name: string, values: readonly number[]): readonly string[] =>
    values.some((value) => value > 0) ? [`  ${name.padEnd(LABEL_WIDE)} ${bars(values)}`] : [];
  return [
    `  ${localTime(from)} – ${localTime(to)}`,
    ...line(
      'submitted',
      points.map(({ submitted }) => submitted),
    ),
    ...line(
      'verified',
      points.map(({ verified }) => verified),
    ),
    ...line(
      'failed',
      points.map(({ failed }) => failed),
    ),
    ...line(
      'under way',
      points.map(({ active }) => active),
    ),
    ...line(
      'limited',
      points.map(({ limited }) => limited),
    ),
  ];
}

/** The values as bars; if there are too many, each bar stands for the highest of several. */
function bars(values: readonly number[]): string {
  const each = Math.ceil(values.length / BARS_WIDE);
  const high = Math.max(...values);
  const groups = Array.from({ length: Math.ceil(values.length / each) }, (_, i) =>
    Math.max(...values.slice(i * each, (i + 1) * each)),
  );
  return groups
    .map((value) => (value === 0 ? ' ' : (BARS[Math.ceil((value / high) * BARS.length) - 1] ?? '█')))
    .join('')
    .trimEnd();
}

/** The same as a note in Markdown. */
export function markdown(paper: LedgerPaper): string {
  const lines = [
    `# ${escaped(paper.title)}`,
    '',
    ...paper.about.map((line) => `- ${escaped(line)}`),
    '',
    '| stage | takes | fell out before |',
    '| --- | ---: | --- |',
    ...paper.stages.map(({ name, takes, lost }) => `| ${name} | ${takes} | ${escaped(lost)} |`),
    ...section('What to do', paper.groups.flatMap(groupNote)),
    ...section('Money', [
      ...paper.money.map((line) => `- ${escaped(line)}`),
      ...paper.costs.map(
        ({ of, requests, money }) => `  - ${escaped(of)}: ${escaped(money === '' ? requests : money)}`,
      ),
    ]),
    ...section(
      'Pauses',
      paper.pauses.map((pause) => `- ${escaped(pause)}`),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines];
}

function groupNote({ head, do: deed, commands, rows }: PaperGroup): readonly string[] {
  return [
    `- **${escaped(head)}**. ${escaped(deed)}`,
    ...commands.map((command) => `  \`${command}\``),
    ...(rows === '' ? [] : [`  Rows: ${escaped(rows)}`]),
  ];
}

/** Escapes what Markdown, or a page made from it, would interpret. */
function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|!~&]/gu, (sign) => `\\${sign}`);
}
