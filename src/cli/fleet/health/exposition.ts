/**
 * Numbers in Prometheus' text format, version 0.0.4
 * (https://github.com/prometheus/docs/blob/main/docs/instrumenting/exposition_formats.md).
 */

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

/** All samples of one name; each has other labels. */
export interface Metric {
  /** As Prometheus allows it: letters, digits and underscores. A counter's ends in `_total`. */
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** The text of a scrape. Help and labels may hold any text: what would end a line or a label is escaped. */
export function exposition(metrics: readonly Metric[]): string {
  return metrics
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${escaped(help)}\n`,
      `# TYPE ${name} ${type}\n`,
      ...samples.map(({ labels = {}, value }) => `${name}${labelText(labels)} ${numberText(value)}\n`),
    ])
    .join('');
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, text]) => `${name}="${escaped(text).replaceAll('"', '\\"')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

/** Counts by labels. */
export class Counts {
  readonly #samples = new Map<string, { readonly labels: Labels; value: number }>();

  add(labels: Labels, value = 1): void {
    const key = JSON.stringify(Object.values(labels));
    const counted = this.#samples.get(key);
    if (counted === undefined) this.#samples.set(key, { labels, value });
    else counted.value += value;
  }

  get samples(): readonly Sample[] {
    return [...this.#samples.values()].map(({ labels, value }) => ({ labels, value }));
  }
}
