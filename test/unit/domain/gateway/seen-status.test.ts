import { describe, expect, test } from 'vitest';
import { failure } from '../../../../src/shared/domain/base/failure.ts';
import type { PollVerdict } from '../../../../src/shared/domain/gateway/poll-outcome.ts';
import type { ResultRecord } from '../../../../src/shared/domain/gateway/poll-answer.ts';
import { profileSchema } from '../../../../src/shared/domain/gateway/profile.ts';
import {
  seenKey,
  seenStatus,
  statusQuestions,
  type CountedStatus,
} from '../../../../src/shared/domain/gateway/seen-status.ts';

const IMAGE = 'videogen-b/image/generate';
const REFUSED: CountedStatus = {
  gateway: 'https://gateway.example/api',
  operation: IMAGE,
  status: '3',
  hasUrl: false,
  hasEnded: true,
  hasMessage: true,
  became: 'suspected',
  tasks: 2,
  lastAt: 1,
};

function record(different: Partial<ResultRecord> = {}): ResultRecord {
  const nothing = { status: '3', message: '', urls: [], document: '{}', addTime: '', endTime: '', taskId: '', ids: {} };
  return { ...nothing, ...different };
}

describe('what a poll has shown', () => {
  const suspected: PollVerdict = { kind: 'failed', failure: failure('REMOTE_FAILED', 'x'), suspected: true };

  test('is how the record looked and what became of it', () => {
    expect(seenStatus(IMAGE, record({ endTime: '2026-01-15', message: ' no ' }), suspected)).toEqual({
      operation: IMAGE,
      status: '3',
      hasUrl: false,
      hasEnded: true,
      hasMessage: true,
      became: 'suspected',
    });
    const rendered: PollVerdict = { kind: 'rendered', outputs: [], provisional: true };
    expect(seenStatus(IMAGE, record({ urls: ['https://x/a'] }), rendered)).toMatchObject({
      hasUrl: true,
      became: 'result',
    });
    expect(seenStatus(IMAGE, record({ status: 'x'.repeat(5_000) }), rendered)?.status).toHaveLength(200);
  });

  test('is nothing yet while it is waited for what becomes of it, and nothing without a record', () => {
    const waiting: PollVerdict = { kind: 'running', phase: 'ended-in-words', askAgainMs: 10_000 };
    expect(seenStatus(IMAGE, record(), waiting)).toBeUndefined();
    expect(seenStatus(IMAGE, record(), { kind: 'running', phase: 'unmapped' })).toMatchObject({ became: 'running' });
    expect(
      seenStatus(IMAGE, undefined, { kind: 'poll-error', failure: failure('GATEWAY_UNAVAILABLE', '503') }),
    ).toBeUndefined();
  });

  test('is no result where what was kept as data reads like a refusal', () => {
    const data: PollVerdict = { kind: 'data', document: '{}' };
    const lyrics = 'musicgen/music/lyrics';
    expect(seenStatus(lyrics, record({ message: 'prompt contains sensitive words' }), data)).toBeUndefined();
    expect(seenStatus(lyrics, record({ message: 'Rain falls on the harbour' }), data)).toMatchObject({
      became: 'result',
    });
  });

  test('has one key for what looks alike', () => {
    expect(seenKey({ ...REFUSED, tasks: 9 } as CountedStatus)).toBe(seenKey(REFUSED));
    expect(seenKey({ ...REFUSED, hasUrl: true })).not.toBe(seenKey(REFUSED));
  });
});

describe('whether a status means a failure', () => {
  const profile = profileSchema.parse({ baseUrl: REFUSED.gateway });

  test('is asked of one that ended without a result, for its family, with how many tasks ended so', () => {
    const video = { ...REFUSED, operation: 'videogen-b/video/generate', tasks: 3 } as const;
    expect(statusQuestions([REFUSED, video], profile)).toEqual([{ family: 'videogen-b', status: '3', tasks: 5 }]);
  });

  test.each([
    ['that gave a result, too', [REFUSED, { ...REFUSED, hasUrl: true, became: 'result' as const }]],
    ['that came without an end time', [{ ...REFUSED, hasEnded: false }]],
    ['that is still rendering', [{ ...REFUSED, became: 'running' as const }]],
    ['that is blank', [{ ...REFUSED, status: '' }]],
  ])('is not asked of one %s', (_, seen) => {
    expect(statusQuestions(seen, profile)).toEqual([]);
  });

  test('is not asked of one that the profile knows, for its family or its operation', () => {
    for (const scope of ['videogen-b', IMAGE]) {
      const knowing = profileSchema.parse({ baseUrl: REFUSED.gateway, status: { [scope]: { '3': 'running' } } });
      expect(statusQuestions([REFUSED], knowing)).toEqual([]);
    }
  });
});
