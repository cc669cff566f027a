/** A ledger as one self-contained page: no script, no network, and all foreign text escaped. */
import { createHash } from 'node:crypto';
import { localTime } from '../../shared/domain/base/text.ts';
import type { Timeline } from '../../shared/domain/ledger/ledger-view.ts';
import type { LedgerPaper, PaperGroup } from './ledger-paper.ts';

/** How each of Nocturne's pages begins, so that no other file is replaced. */
export const PAGE_BEGINNING =
  '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="generator" content="Nocturne ledger">';

const STYLE = `
:root { color-scheme: light dark; --ground: #f6f3ec; --card: #fffdf8; --ink: #22262f; --soft: #5b6270; --line: #ddd6c8; --lamp: #9a5b00; --lost: #b3402a; }
@media (prefers-color-scheme: dark) { :root { --ground: #0f1115; --card: #181b22; --ink: #e7e9ee; --soft: #a3abb9; --line: #2b303b; --lamp: #f0b35a; --lost: #ff8d76; } }
body { margin: 0; padding: 32px 24px 64px; background: var(--ground); color: var(--ink); font: 14px/1.5 system-ui, sans-serif; }
main { max-width: 860px; margin: 0 auto; }
h1 { font-size: 20px; font-weight: 600; } h2 { margin: 32px 0 8px; font-size: 15px; font-weight: 600; }
p, ul { margin: 4px 0; } .soft { color: var(--soft); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
td, th { padding: 6px 10px; border-top: 1px solid var(--line); text-align: left; vertical-align: top; } td.n { text-align: right; }
.group { margin: 8px 0; padding: 10px 14px; border: 1px solid var(--line); border-radius: 9px; background: var(--card); overflow-wrap: anywhere; }
.needs { border-left: 3px solid var(--lamp); } code { font: 12px/1.5 ui-monospace, monospace; }
svg { width: 100%; height: 140px; } .verified { fill: var(--lamp); } .failed { fill: var(--lost); } .pause { fill: var(--soft); opacity: 0.18; }
.active { fill: none; stroke: var(--soft); stroke-width: 1; vector-effect: non-scaling-stroke; }
`;

const WIDE = 1000;
const HIGH = 100;

/** The whole page. */
export function ledgerPage(paper: LedgerPaper): string {
  const hash = createHash('sha256').update(STYLE, 'utf8').digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return `${PAGE_BEGINNING}
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(paper.title)}</title>
<style>${STYLE}</style>
<main>
<h1>${escapeHtml(paper.title)}</h1>
${paper.about.map((line) => `<p class="soft">${escapeHtml(line)}</p>`).join('\n')}
<h2>From plan to file</h2>
<table><tbody>
${paper.stages
  .map(
    ({ name, takes, lost }) =>
      `<tr><th scope="row">${name}</th><td class="n">${takes}</td><td class="soft">${lost === '' ? '' : `without ${escapeHtml(lost)}`}</td></tr>`,
  )
  .join('\n')}
</tbody></table>
${sectionOf('What needs you', paper.groups.filter(({ needsYou }) => needsYou).map(groupBlock))}
${sectionOf('The rest', paper.groups.filter(({ needsYou }) => !needsYou).map(groupBlock))}
${sectionOf('Money', [...paper.money.map((line) => `<p>${escapeHtml(line)}</p>`), costTable(paper)])}
${sectionOf('The night', [picture(paper.timeline), ...paper.pauses.map((pause) => `<p>${escapeHtml(pause)}</p>`)])}
</main>
</html>
`;
}

function sectionOf(title: string, parts: readonly string[]): string {
  const shown = parts.filter((part) => part !== '');
  return shown.length === 0 ? '' : `<h2>${title}</h2>\n${shown.join('\n')}`;
}

function groupBlock({ needsYou, head, do: deed, commands, rows }: PaperGroup): string {
  return `<div class="group${needsYou ? ' needs' : ''}"><strong>${escapeHtml(head)}</strong><p>${escapeHtml(deed)}</p>${commands
    .map((command) => `<p><code>${escapeHtml(command)}</code></p>`)
    .join('')}${rows === '' ? '' : `<p class="soft">${escapeHtml(rows)}</p>`}</div>`;
}

function costTable({ costs }: LedgerPaper): string {
  if (costs.length === 0) return '';
  const lines = costs.map(
    ({ of, requests, money }) =>
      `<tr><th scope="row">${escapeHtml(of)}</th><td>${escapeHtml(requests)}</td><td>${escapeHtml(money)}</td></tr>`,
  );
  return `<table><thead><tr><th></th><th>requests</th><th>money</th></tr></thead><tbody>${lines.join('')}</tbody></table>`;
}

/** Verified and failed takes as bars, what was under way as a line, pauses behind them. */
function picture(timeline: Timeline | undefined): string {
  if (timeline === undefined) return '';
  const { points, pauses, from, to, stepMs } = timeline;
  const step = WIDE / points.length;
  const most = Math.max(1, ...points.map(({ verified, failed }) => verified + failed));
  const mostActive = Math.max(1, ...points.map(({ active }) => active));
  const x = (at: number): number => round(((at - from) / (points.length * stepMs)) * WIDE);
  const bar = (kind: string, index: number, from0: number, value: number): string =>
    value === 0
      ? ''
      : `<rect class="${kind}" x="${round(index * step)}" width="${round(step * 0.8)}" y="${round(HIGH - ((from0 + value) / most) * HIGH)}" height="${round((value / most) * HIGH)}"/>`;
  const shapes = [
    ...pauses.map(
      (pause) =>
        `<rect class="pause" x="${x(pause.from)}" width="${round(x(pause.to ?? to) - x(pause.from))}" y="0" height="${HIGH}"/>`,
    ),
    ...points.flatMap(({ verified, failed }, i) => [
      bar('verified', i, 0, verified),
      bar('failed', i, verified, failed),
    ]),
    `<polyline class="active" points="${points.map(({ active }, i) => `${round((i + 0.4) * step)},${round(HIGH - (active / mostActive) * HIGH)}`).join(' ')}"/>`,
  ];
  return `<p class="soft">${localTime(from)} to ${localTime(to)}: takes verified and failed, what was under way (up to ${mostActive}), and pauses.</p>
<svg viewBox="0 0 ${WIDE} ${HIGH}" preserveAspectRatio="none" role="img" aria-label="The night over time">${shapes.join('')}</svg>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
