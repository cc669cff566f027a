import { describe, expect, test, vi } from 'vitest';
import type { MediaGateway, SubmitReport } from '../../src/engine/ports/media-gateway.ts';
import { auditCharges } from './charge-audit.ts';
import { openFaultNight, songRows } from './fault-night.ts';

/** What a mutant of the engine does wrong in this file; the audit has to see it. */
let mutant: 'none' | 'resends' = 'none';

vi.mock('../../src/engine/gateway/undici-media-gateway.ts', async (importOriginal) => {
  const real = await importOriginal<typeof import('../../src/engine/gateway/undici-media-gateway.ts')>();
  return {
    createMediaGateway: (options: Parameters<typeof real.createMediaGateway>[0]) =>
      mutant === 'resends' ? resending(real.createMediaGateway(options)) : real.createMediaGateway(options),
  };
});

/** The usual mistake: a request that brought no answer is sent again. */
function resending(gateway: MediaGateway): MediaGateway {
  return {
    origin: gateway.origin,
    poll: (...call) => gateway.poll(...call),
    balance: (signal) => gateway.balance(signal),
    resultOf: (answer) => gateway.resultOf(answer),
    close: () => gateway.close(),
    async submit(...call): Promise<SubmitReport> {
      const report = await gateway.submit(...call);
      return report.outcome.kind === 'unknown' ? gateway.submit(...call) : report;
    },
  };
}

describe('the audit is no rubber stamp', () => {
  test('an engine that resends after a reset pays twice, and is caught', async (context) => {
    mutant = 'resends';
    context.onTestFinished(() => {
      mutant = 'none';
    });
    const night = await openFaultNight(context, {
      rows: songRows(3),
      plan: (kind, nth) => (kind === 'submit' && nth === 1 ? { kind: 'reset', at: 'answer' } : undefined),
    });
    await night.engine.start(night.batchId);
    await night.engine.settled(night.batchId);
    expect((await auditCharges(night)).duplicates).toHaveLength(1);
  });

  test('a request that reaches the gateway twice is caught', async (context) => {
    const night = await openFaultNight(context, {
      rows: songRows(3),
      plan: (kind, nth) => (kind === 'submit' && nth === 2 ? { kind: 'replay' } : undefined),
    });
    await night.engine.start(night.batchId);
    await night.engine.settled(night.batchId);
    expect((await auditCharges(night)).duplicates).toHaveLength(1);
  });

  test('a file that differs from the gateway’s in one byte is caught', async (context) => {
    const night = await openFaultNight(context, {
      rows: songRows(3),
      // Well inside the sound, where every byte is as good as another.
      plan: (kind, nth) => (kind === 'download' && nth === 2 ? { kind: 'flip', atByte: 4000 } : undefined),
    });
    await night.engine.start(night.batchId);
    await night.engine.settled(night.batchId);
    const { losses, statuses } = await auditCharges(night);
    expect(statuses).toEqual({ done: 3 });
    expect(losses).toContainEqual(expect.stringContaining('0 files that equal the gateway’s'));
  });
});
