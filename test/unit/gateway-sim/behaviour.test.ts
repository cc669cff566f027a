import { describe, expect, test } from 'vitest';
import { mergeBehaviour } from '../../support/observed-gateway.ts';
import { parseBehaviour, statusTableOf } from '../../../src/gateway-sim/faults/behaviour.ts';
import { findPreset, PRESETS } from '../../../src/gateway-sim/faults/presets.ts';

function problemsOf(input: unknown): readonly string[] {
  const parsed = parseBehaviour(input);
  return parsed.ok ? [] : parsed.error.map((problem) => problem.path);
}

describe('a behaviour document', () => {
  test('may be empty: every key has a default', () => {
    expect(parseBehaviour({})).toMatchObject({
      ok: true,
      value: {
        pathPrefix: '/api',
        status: { queued: 0, running: 1, succeeded: 2, failed: 3 },
        taskCode: { in: 'query', name: 'taskCode' },
        faults: [],
      },
    });
  });

  test.each([
    [{ surplus: 1 }, ['surplus']],
    [{ taskCode: { where: 'query' } }, ['taskCode.where']],
    [{ taskCode: { in: 'header' } }, ['taskCode.in']],
    [{ pathPrefix: 'api/' }, ['pathPrefix']],
    [{ status: { queued: 1.5 } }, ['status.queued']],
    [{ durations: { musicgen: { law: 'uniform', minSeconds: 5, maxSeconds: 1 } } }, ['durations.musicgen.maxSeconds']],
    [{ durations: { painting: { law: 'fixed', seconds: 1 } } }, ['durations.painting']],
    [{ limits: { submits: { count: 0, seconds: -1 } } }, ['limits.submits.count', 'limits.submits.seconds']],
    [{ faults: [{ kind: 'truncated', when: 'submit' }] }, ['faults.0.when']],
    [{ faults: [{ kind: 'explosion', when: 'submit' }] }, ['faults.0.kind']],
    [{ faults: [{ kind: 'lost', when: 'submit', probability: 2 }] }, ['faults.0.probability']],
    [null, ['']],
    [[], ['']],
    ['text', ['']],
  ])('%j is wrong at %j', (input, paths) => {
    expect([...problemsOf(input)].sort()).toEqual([...paths].sort());
  });

  test.each(Object.entries(PRESETS))('the preset %s is valid and carries its name', (name, preset) => {
    const parsed = parseBehaviour(preset);
    expect(parsed).toMatchObject({ ok: true, value: { name } });
    expect(findPreset(name)).toBe(preset);
  });

  test('no preset hides behind the names that every object has', () => {
    expect(findPreset('constructor')).toBeUndefined();
  });
});

test('a status table is completed: operation, then family, then all', () => {
  const parsed = parseBehaviour({
    status: { failed: 9 },
    statusOf: { musicgen: { running: 5, failed: 8 }, 'musicgen/music/wav': { running: 6 } },
  });
  const tables = parsed.ok
    ? (['musicgen/music/wav', 'musicgen/music/mp4', 'videogen-a/video/generate'] as const).map((path) =>
        statusTableOf(parsed.value, path),
      )
    : [];
  expect(tables).toEqual([
    { queued: 0, running: 6, succeeded: 2, failed: 8 },
    { queued: 0, running: 5, succeeded: 2, failed: 8 },
    { queued: 0, running: 1, succeeded: 2, failed: 9 },
  ]);
});

test('a patch is merged key by key; lists and laws are replaced', () => {
  const base = {
    taskCode: { form: 'digits19', name: 'id' },
    durations: { musicgen: { law: 'uniform', minSeconds: 1, maxSeconds: 2 } },
    faults: [{ kind: 'lost', when: 'poll' }],
  } as const;
  const merged = mergeBehaviour(
    { ...base, faults: [...base.faults] },
    { taskCode: { name: 'code' }, durations: { musicgen: { law: 'fixed', seconds: 3 } }, faults: [] },
  );
  expect(merged).toEqual({
    taskCode: { form: 'digits19', name: 'code' },
    durations: { musicgen: { law: 'fixed', seconds: 3 } },
    faults: [],
  });
});
