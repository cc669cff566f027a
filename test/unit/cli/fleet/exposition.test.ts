import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Counts, exposition, type Metric } from '../../../../src/cli/fleet/health/exposition.ts';

interface Read {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What could end a label or a line, or begin another one. */
const HOSTILE = fc.constantFrom('\\', '"', '\n', '\r', ',', '{', '}', '=', ' ', '#', 'a', 'n', 'é', '\u2028', '1');
const ESCAPES: Readonly<Record<string, string>> = { '\\\\': '\\', '\\n': '\n', '\\"': '"' };

function unescaped(text: string): string {
  return text.replaceAll(/\\(?:\\|n|")/gu, (found) => ESCAPES[found] ?? found);
}

/** A reader by the grammar of the format, line by line: throws at the first that does not fit. */
function read(text: string): { readonly help: ReadonlyMap<string, string>; readonly samples: readonly Read[] } {
  if (!text.endsWith('\n')) throw new Error('The last line must end with a line feed.');
  const help = new Map<string, string>();
  const types = new Set<string>();
  const samples: Read[] = [];
  for (const line of text.slice(0, -1).split('\n')) {
    const said = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)$/su.exec(line);
    if (said !== null) {
      const [, kind, name = '', rest = ''] = said;
      if (kind === 'HELP')
        help.set(
          name,
          rest.replaceAll(/\\(?:\\|n)/gu, (found) => ESCAPES[found] ?? found),
        );
      else if (types.has(name) || !['counter', 'gauge'].includes(rest)) throw new Error(`Not a type: ${line}`);
      else types.add(name);
      continue;
    }
    const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|[+-]Inf|-?\d[\d.]*(?:e[+-]?\d+)?)$/su.exec(line);
    if (sample === null) throw new Error(`Neither a comment nor a sample: ${line}`);
    const [, name = '', given = '', value = ''] = sample;
    if (!types.has(name)) throw new Error(`A sample before its type: ${line}`);
    const pair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"(?:,|$)/suy;
    const labels: Record<string, string> = {};
    for (let at = 0; at < given.length; at = pair.lastIndex) {
      pair.lastIndex = at;
      const [, label = '', text_ = ''] = pair.exec(given) ?? [];
      if (label === '') throw new Error(`Not a label: ${given.slice(at)}`);
      labels[label] = unescaped(text_);
    }
    samples.push({ name, labels, value: Number(value.replace('Inf', 'Infinity')) });
  }
  return { help, samples };
}

const metric = (samples: Metric['samples'], help = 'Things.'): Metric => ({
  name: 'nocturne_things_total',
  type: 'counter',
  help,
  samples,
});

describe('numbers for Prometheus', () => {
  test('are read as they are written, whatever accounts are called', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: HOSTILE }), { minLength: 1, maxLength: 4 }),
        fc.string({ unit: HOSTILE }),
        fc.double(),
        (names, help, value) => {
          const samples = names.map((account) => ({ labels: { account, kind: 'x' }, value }));
          const found = read(exposition([metric(samples, help)]));
          expect(found.help.get('nocturne_things_total')).toBe(help);
          expect(found.samples).toEqual(
            // Zero has one form.
            samples.map(({ labels }) => ({ name: 'nocturne_things_total', labels, value: value === 0 ? 0 : value })),
          );
        },
      ),
    );
  });

  test('a name cannot end its label, its line or its escape', () => {
    const account = 'a"} 9\nnocturne_forged_total 1\\';
    const { samples } = read(exposition([metric([{ labels: { account }, value: 2 }])]));
    expect(samples).toEqual([{ name: 'nocturne_things_total', labels: { account }, value: 2 }]);
  });

  test('are by their labels: the same ones are counted together', () => {
    const counts = new Counts();
    counts.add({ account: 'a', kind: 'bc' });
    counts.add({ account: 'ab', kind: 'c' });
    counts.add({ account: 'a', kind: 'bc' }, 3);
    expect(counts.samples).toEqual([
      { labels: { account: 'a', kind: 'bc' }, value: 4 },
      { labels: { account: 'ab', kind: 'c' }, value: 1 },
    ]);
  });

  test('without samples, only say what there would be', () => {
    expect(exposition([metric([])])).toBe(
      '# HELP nocturne_things_total Things.\n# TYPE nocturne_things_total counter\n',
    );
  });
});
