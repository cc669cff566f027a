import { asSentence } from '../../../src/shared/domain/base/text.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BatchView } from '../../../src/shared/ipc/batches.ts';
import { hexLines, nameToTell, shownLine, shownText } from '../../../src/renderer/format/shown-text.ts';
import {
  releaseCost,
  requestsOf,
  askingAgainWords,
  sentBy,
  someOf,
  startLabel,
  resubmitCost,
  retriedTogether,
  retryCost,
  sumText,
  limitHint,
  unknownWords,
} from '../../../src/renderer/format/costs.ts';
import { formatDuration, formatExpectedEnd, formatNearby, formatPosition } from '../../../src/renderer/format/times.ts';
import {
  fileKind,
  formatBytes,
  formatPercent,
  lengthWords,
  mediaUrl,
  placeWords,
  problemSummary,
  rowReason,
  sizeWords,
} from '../../../src/renderer/format/phrases.ts';
import { speakLanguage } from '../../../src/shared/words/catalogues.ts';
import { makeBatch, makeCounts, makeForecast } from './make-view.ts';

const EVENING = Date.UTC(2026, 10, 21, 22, 30);
const HOUR_MS = 3_600_000;

test('how long a file plays stands before its size, if it is known and more than a moment', () => {
  expect([185.4, 42.9, 0.6, undefined].map((seconds) => lengthWords({ ...(seconds && { seconds }) }))).toEqual([
    '3:05',
    '0:42',
    undefined,
    undefined,
  ]);
  expect(sizeWords({ bytes: 1_200_000, seconds: 185.4 })).toBe(`3:05 · ${formatBytes(1_200_000)}`);
  expect(sizeWords({ bytes: 1_200_000 })).toBe(formatBytes(1_200_000));
});

describe('times', () => {
  test('an end after midnight is told by its time of day alone', () => {
    expect(formatExpectedEnd(EVENING + 5 * HOUR_MS + 600_000, EVENING, 'UTC')).toBe('about 03:40');
  });

  test('an end that could be mistaken for another day’s has its day', () => {
    expect(formatExpectedEnd(EVENING + 30 * HOUR_MS, EVENING, 'UTC')).toBe('about Mon 23 Nov, 04:30');
  });

  test('an end that has come is not in the past', () => {
    expect(formatExpectedEnd(EVENING - HOUR_MS, EVENING, 'UTC')).toBe('in about a minute');
  });

  test('a time of another zone is shown in that zone', () => {
    expect(formatNearby(EVENING, EVENING, 'Asia/Tokyo')).toBe('07:30');
  });

  test.each([
    [400, '0 s'],
    [59_400, '59 s'],
    [200_000, '3 min 20 s'],
    [3_840_000, '1 h 04 min'],
    [190_000_000, '2 d 4 h'],
  ])('%i ms last %s', (lengthMs, words) => {
    expect(formatDuration(lengthMs)).toBe(words);
  });

  test('a recording whose length is not known has a place all the same', () => {
    expect([formatPosition(67.8), formatPosition(Number.NaN), formatPosition(Infinity)]).toEqual([
      '1:07',
      '0:00',
      '0:00',
    ]);
  });
});

describe('numbers', () => {
  test.each([
    [0, '0 B'],
    [999, '999 B'],
    [4_210_000, '4.21 MB'],
    [42_100_000, '42.1 MB'],
    [421_000_000, '421 MB'],
  ])('%i bytes are %s', (bytes, words) => {
    expect(formatBytes(bytes)).toBe(words);
  });

  test('100 % is said of nothing but all of it', () => {
    expect([formatPercent(9_999, 10_000), formatPercent(1, 1), formatPercent(0, 0)]).toEqual(['99%', '100%', '0%']);
  });
});

describe('text of others', () => {
  test('is a sentence before another one follows', () => {
    expect(asSentence('The key was rejected (HTTP 401, code 401)')).toBe('The key was rejected (HTTP 401, code 401).');
    expect(asSentence('It is full. ')).toBe('It is full.');
    expect(asSentence('余额不足。')).toBe('余额不足。');
    expect(asSentence('余额不足')).toBe('余额不足。');
    // A Chinese sentence that ends in a code, a path or somebody’s words; an English one that quotes Chinese.
    expect(asSentence('无法读取它（没有权限，EACCES）')).toBe('无法读取它（没有权限，EACCES）。');
    expect(asSentence('无法写入：/media/night')).toBe('无法写入：/media/night。');
    expect(asSentence('Row “歌，一” needs song.mp3')).toBe('Row “歌，一” needs song.mp3.');
    expect(asSentence('')).toBe('');
  });

  test('what turns its neighbours round is shown, not obeyed', () => {
    expect(shownLine('photo\u202Egnp.exe')).toBe(String.raw`photo\u202egnp.exe`);
  });

  test('controls are shown: escapes to a terminal, NUL, and those of the second half', () => {
    expect(shownText('\u001b[31mred\u0000\u007f\u0085')).toBe(String.raw`\u001b[31mred\u0000\u007f\u0085`);
  });

  test('blanks without width are shown, joined emoji stay whole', () => {
    expect(shownText('a\u200bb\ufeff')).toBe(String.raw`a\u200bb\ufeff`);
    expect(shownText('👩‍🚀')).toBe('👩‍🚀');
  });

  test('half of a pair is replaced', () => {
    expect(shownText('moon \ud83c')).toBe('moon \ufffd');
  });

  test('line breaks stay in blocks and are marked on one line', () => {
    expect(shownText('a\r\nb\tc')).toBe('a\nb\tc');
    expect(shownLine('a\r\n\n  b\tc ')).toBe('a ⏎ b c');
    expect(shownLine(`a${' '.repeat(200_000)}b`)).toBe('a b');
  });
});

describe('words', () => {
  test('a sheet of which nothing could be read has no rows to run without', () => {
    const counts = { errorCount: 1, warningCount: 0 };
    expect(problemSummary({ ...counts, rowCount: 7 })).toContain('start without them');
    expect(problemSummary({ ...counts, rowCount: 0 })).toBe(
      '1 error. No row could be read. Correct the file and import it again.',
    );
  });

  test('what a file is comes from its type', () => {
    const types = ['audio/mpeg', 'video/mp4', 'image/webp', 'application/json'];
    expect(types.map((mediaType) => fileKind({ mediaType }))).toEqual(['music', 'video', 'image', 'data']);
  });

  test('a row without an operation stands in its line all the same', () => {
    expect(placeWords({ line: 2 })).toBe('Line 2');
    expect(placeWords({ operation: 'musicgen/music/generate', line: 2 })).toMatch(/^\w.* · line 2$/u);
  });

  test('a file’s id cannot lead anywhere else', () => {
    expect(mediaUrl('../etc?x#y')).toBe('media://file/..%2Fetc%3Fx%23y');
  });

  test('a reason is the failure with the gateway’s own words, else what is wrong in the sheet', () => {
    const failure = { code: 'MODERATED', message: 'code 1026' } as const;
    expect(rowReason({ status: 'failed', failure, problem: 'x' })).toBe('Refused by moderation: code 1026');
    const page = { code: 'OUTPUT_UNVERIFIABLE', message: 'The file is a web page.' } as const;
    const retryAt = new Date(2026, 10, 22, 3, 12).getTime();
    expect(rowReason({ status: 'downloading', failure: page, retryAt })).toBe(
      'Trying again at 03:12. The file could not be verified: The file is a web page.',
    );
    expect(rowReason({ status: 'invalid', problem: 'No such operation.' })).toBe('No such operation.');
  });
});

describe('bytes', () => {
  test('are shown as they are, sixteen on a line', () => {
    const bytes = Uint8Array.from({ length: 18 }, (_, index) => (index === 17 ? 0xff : index));
    expect(hexLines(Buffer.from(bytes).toString('base64'))).toBe(
      '00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n10 ff',
    );
  });
});

describe('the cost of submitting again', () => {
  const RUNNING = { rehearsal: false, state: 'running' } as const;

  test('is open for each take with an unknown outcome, but not in a rehearsal', () => {
    expect(unknownWords(1, false)).toMatch(/^It may have been charged\./u);
    expect(unknownWords(2, false)).toMatch(/^They may have been charged\./u);
    expect(unknownWords(1, true)).not.toContain('charged');
  });

  test('is named where the profile has prices, and what it leaves out too', () => {
    const cost = [{ currency: 'USD', amount: 1.5 }];
    expect(resubmitCost({ rows: 3, takes: 4, cost, takesWithoutPrice: 1, shown: [] }, RUNNING)).toContain(
      '1.50 USD, and 1 more take without a price',
    );
  });

  test('is said to be unknown without prices, and to be none in a rehearsal', () => {
    const summary = { rows: 1, takes: 1, cost: [], takesWithoutPrice: 1, shown: [] };
    expect(resubmitCost(summary, RUNNING)).toContain('you pay again');
    // It stands beside “Write off” as well: what costs that is named.
    expect(resubmitCost(undefined, RUNNING)).toBe(
      'A resubmit is a new paid request; no price is set. If the first one went through, you pay again.',
    );
    expect(resubmitCost(summary, { ...RUNNING, rehearsal: true })).toContain('nothing is paid');
  });
});

test('what a start costs is said as far as the profile knows it, and never less', () => {
  const cost = [{ currency: 'USD', amount: 1.5 }];
  expect(sumText(true, 14, cost, 3)).toBe(', free of charge.');
  expect(sumText(false, 0, [])).toBe('.');
  expect(sumText(false, 3, [], 3)).toBe(', each of which may be charged.');
  expect(sumText(false, 1, [], 1)).toBe(', which may be charged.');
  expect(sumText(false, 1, cost)).toBe(': 1.50 USD by the profile’s prices.');
  expect(sumText(false, 4, cost, 3)).toBe(
    ': 1.50 USD by the profile’s prices, and 3 more paid requests without a price.',
  );
});

test('a start names what it sends, not what waits', () => {
  const waiting = { submits: 54, cost: [{ currency: 'EUR', amount: 8.45 }], withoutPrice: 0 };
  const cost = [{ currency: 'EUR', amount: 3 }];
  const stop = { of: 'batch', limit: { cost: { amount: 3, currency: 'EUR' } }, lacks: 'cost', operations: [] } as const;
  const some = sentBy(waiting, makeForecast({ requests: 20, beyondLimit: 34, cost, stop }));
  expect(some).toEqual({ submits: 20, all: 54, cost, withoutPrice: 0 });
  expect(startLabel(false, some, undefined)).toBe('Start 20 of 54 paid requests');
  expect(someOf(some.submits, some.all, false)).toBe('20 of 54 paid requests');
  // Not known yet, or all of it.
  const all = sentBy(waiting, makeForecast({ requests: 54 }));
  expect([all, sentBy(waiting, undefined)]).toEqual([all, { ...waiting, all: 54 }]);
  expect(startLabel(false, all, undefined)).toBe('Start 54 paid requests');
  // The forecast may fit less than a request limit, and never more.
  expect(startLabel(false, all, 30)).toBe('Start (up to 30 paid requests)');
  // The most that is paid, where gates have files rendered again.
  expect(startLabel(false, all, undefined, 108)).toBe('Start 54 paid requests, up to 162 with files rendered again');
  expect(startLabel(false, all, 100, 108)).toBe('Start 54 paid requests, up to 100 with files rendered again');
  expect(startLabel(false, all, 54, 108)).toBe('Start 54 paid requests');
  expect(startLabel(false, { ...all, submits: 30 }, 30)).toBe('Start (up to 30 paid requests)');
  expect(startLabel(false, some, 30)).toBe('Start 20 of 54 paid requests');
  expect(startLabel(true, some, 30)).toBe('Start rehearsal');
  const unheld = makeForecast({
    beyondLimit: 54,
    stop: { ...stop, lacks: 'price', operations: ['musicgen/music/generate'] },
  });
  expect(sentBy(waiting, unheld).problem).toContain('Nothing is sent: 3.00 EUR for this batch cannot be held');
});

test('a request of a rehearsal is not called paid, and one that waits for a higher limit waits alone', () => {
  expect(requestsOf(14, true)).toBe('14 requests');
  expect(requestsOf(1, false)).toBe('1 paid request');
  expect(releaseCost(makeBatch({ rehearsal: true, draftSubmits: 2 }), undefined)).toBe(
    'This makes 2 requests. This is a rehearsal: nothing is paid.',
  );
  expect(limitHint(3, 4)).toContain('; 1 waits until');
  expect(limitHint(3, 5)).toContain('; 2 wait until');
});

test('running a changed row of a paused batch says that the rest goes on as well, and of how many requests', () => {
  const counts = makeCounts({ queued: 1_256, done: 17 });
  const words = (state: BatchView['state']) =>
    releaseCost(makeBatch({ rehearsal: false, state, counts, draftSubmits: 1 }), undefined);
  expect(words('paused')).toContain(
    'This also resumes the batch: 1,256 takes are waiting, so it makes up to 1,257 paid requests.',
  );
  expect(words('running')).toContain('This makes 1 paid request.');
});

test('running changed rows says what they cost by the known prices, and which limit lets fewer through', () => {
  const batch = makeBatch({ rehearsal: false, state: 'running', draftSubmits: 3, submitsUsed: 1 });
  const priced = { following: 0, cost: [{ amount: 0.2, currency: 'USD' }], unpriced: [], beyondLimit: 0 };
  expect(releaseCost(batch, { ...priced, following: 2 })).toContain(
    'This makes 5 paid requests: 0.20 USD by the profile’s prices. 2 of them are for takes that failed only because of these rows.',
  );
  expect(releaseCost(batch, priced)).toContain('This makes 3 paid requests: 0.20 USD by the profile’s prices.');
  const unpriced = [{ operation: 'musicgen/music/generate' as const, requests: 1 }];
  expect(releaseCost(batch, { ...priced, unpriced })).toContain(
    '0.20 USD by the profile’s prices, and 1 more paid request without a price.',
  );
  expect(releaseCost(batch, { ...priced, cost: [], unpriced })).toContain(
    'This makes 3 paid requests. Cost unknown: no price for 1 music.',
  );
  const stop = {
    of: 'batch',
    limit: { cost: { amount: 0.15, currency: 'USD' } },
    lacks: 'cost',
    operations: [],
  } as const;
  expect(releaseCost(batch, { ...priced, beyondLimit: 2, stop: { ...stop, operations: [] } })).toContain(
    '2 more paid requests do not fit within the limit of 0.15 USD for this batch.',
  );
  // Where none fits, it promises none: it says so, and what to do.
  const used = makeBatch({ rehearsal: false, state: 'running', draftSubmits: 3, submitsUsed: 250, maxSubmits: 250 });
  const full = { of: 'batch', limit: { requests: 250 }, lacks: 'requests', operations: [] } as const;
  expect(releaseCost(used, { ...priced, beyondLimit: 3, stop: { ...full, operations: [] } })).toBe(
    'Nothing can be sent: the limit of 250 paid requests for this batch leaves no room for 3 more paid requests. Raise the limit of this batch or remove it, and resume.',
  );
  const unheld = { ...stop, lacks: 'price' as const, operations: ['musicgen/music/generate' as const] };
  expect(releaseCost(batch, { ...priced, cost: [], unpriced, beyondLimit: 3, stop: unheld })).toMatch(
    /^Nothing is sent: 0\.15 USD for this batch cannot be held .* Add the price/u,
  );
});

describe('the question before a retry', () => {
  const batch = { rehearsal: false, state: 'running', submitsUsed: 12, maxSubmits: 1_500 } as const;
  const sent = { id: 1, attempts: 1 };
  const unsent = { id: 2, attempts: 0 };

  test('says how many paid requests it makes at most, and what the limit leaves', () => {
    const words = retryCost([sent, unsent], batch);
    expect(words).toContain('up to 2 paid requests.');
    // Those that only fetch a result are counted apart.
    expect(words).not.toContain('free of charge');
    expect(words).toContain('12 of 1,500 paid requests are used; the batch pauses at that limit.');
    expect(retryCost([sent], { rehearsal: false, state: 'finished', submitsUsed: 12 })).not.toContain('are used');
    expect(retryCost([sent], { ...batch, submitsUsed: 1_500 })).toContain(
      'All 1,500 paid requests of its limit are used: nothing is sent before you raise it.',
    );
  });

  test('says of a paused batch that nothing is sent before it is resumed, as before a resubmit', () => {
    const words = 'nothing is sent before you resume it';
    const paused = { ...batch, state: 'paused' } as const;
    expect(retryCost([sent], paused)).toContain(words);
    expect(resubmitCost(undefined, paused)).toContain(words);
    expect(retryCost([sent], batch)).not.toContain(words);
    expect(resubmitCost(undefined, batch)).not.toContain(words);
  });

  test('says of held takes that nothing is sent for them, and counts no paid request of theirs', () => {
    const held = { ...sent, isHeld: true } as const;
    const some = retryCost([sent, held, { ...held, id: 3 }], batch);
    expect(some).toContain('up to 1 paid request.');
    expect(some).toContain('2 takes are held by you: nothing new is sent for them before you release the rows.');
    const all = retryCost([held], batch);
    expect(all).toBe('It is held by you: nothing new is sent for it before you release the row.');
    const summary = { rows: 1, takes: 1, cost: [], takesWithoutPrice: 0, shown: [held] };
    expect(resubmitCost(summary, { rehearsal: false, state: 'running' })).toBe(all);
  });

  test('says what they cost, as far as prices are known, also together with those that were refused', () => {
    const priced = (id: number, amount: number) => ({
      shown: [{ id, attempts: 1 }],
      following: 0,
      cost: [{ amount, currency: 'EUR' }],
      takesWithoutPrice: 0,
      inferred: 0,
      fetched: 0,
    });
    const both = retriedTogether(priced(1, 0.1), priced(2, 0.05));
    expect(retryCost(both.shown, batch, both)).toContain('up to 2 paid requests: 0.15 EUR by the profile’s prices.');
    expect(retryCost(both.shown, batch, { cost: [], takesWithoutPrice: 2 })).toContain('up to 2 paid requests.');
  });

  test('promises no paid request for what the gateway is only asked about again', () => {
    const shown = [1, 2].map((id) => ({ id, attempts: 1 }));
    const all = retryCost(shown, batch, { inferred: 2 });
    expect(all).toMatch(/^Nothing is paid for\. The gateway gave no file.*free/u);
    expect(all).not.toContain('This makes');
    // Unless it has it after all: what had failed only because of it goes on then.
    const behind = retryCost(shown, batch, { inferred: 2, following: 3 });
    expect(behind).toMatch(/^This makes up to 3 paid requests\. 3 of them are for takes that failed only because/u);
    expect(behind).toContain('Nothing is paid for 2 takes.');
    const one = retryCost(shown, batch, { inferred: 1 });
    expect(one).toContain('up to 1 paid request.');
    expect(one).toContain('Nothing is paid for 1 take.');
    // A file that was not fetched, or what was cancelled after the gateway had accepted it.
    expect(retryCost(shown, { ...batch, state: 'finished' }, { fetched: 2 })).toBe(
      'Nothing is paid for. If the gateway still has a result, Nocturne fetches it again free of charge.',
    );
    const mixed = retryCost(shown, batch, { fetched: 1 });
    expect(mixed).toContain('up to 1 paid request.');
    expect(mixed).toContain('Nothing is paid for 1 take. If the gateway still has a result');
  });

  test('promises no free result for what was never sent', () => {
    const words = retryCost([unsent], batch);
    expect(words).toContain('This makes 1 paid request.');
    expect(words).not.toContain('free of charge');
  });
});

describe('an unknown outcome that settles itself', () => {
  const now = Date.UTC(2026, 10, 23, 12);
  const asking = { take: 1, sentAgain: 'when-due', dueAt: now + 600_000 } as const;

  test('says when it is sent again, that nothing need be done, and that a resubmit would pay', () => {
    const words = askingAgainWords([asking], now);
    expect(words).toContain(`Nothing to do: at ${formatNearby(now + 600_000, now)} Nocturne sends the request again`);
    expect(words).toContain('A resubmit would be a new request, and you would pay again.');
  });

  test('names the takes that it is about, and waits for a paused batch to be resumed', () => {
    const words = askingAgainWords([{ take: 1 }, { ...asking, take: 2, sentAgain: 'once-resumed' }], now);
    expect(words).toContain('Once the batch is resumed, Nocturne sends the request of take 2 again');
    expect(askingAgainWords([{ take: 1, dueAt: now }], now)).toBeUndefined();
  });
});

describe('in Chinese', () => {
  beforeAll(() => speakLanguage('zh-Hans'));
  afterAll(() => speakLanguage('en'));

  test('times and durations are as Chinese software writes them', () => {
    expect(formatExpectedEnd(EVENING + 30 * HOUR_MS, EVENING, 'UTC')).toBe('约 11月23日周一 04:30');
    expect([400, 200_000, 3_840_000, 190_000_000].map(formatDuration)).toEqual([
      '0 秒',
      '3 分 20 秒',
      '1 小时 04 分',
      '2 天 4 小时',
    ]);
  });

  test('sentences follow each other without a space, with the same facts as in English', () => {
    const batch = makeBatch({ rehearsal: false, state: 'paused', counts: makeCounts({ queued: 3 }), draftSubmits: 2 });
    expect(releaseCost(batch, undefined)).toBe(
      '批次也会随之继续：有 3 版在等待，因此最多会发出 5 个付费请求。网关对接受的每个请求扣费，以前生成过的行也不例外。',
    );
    const sent = { submits: 20, all: 54, cost: [], withoutPrice: 0 };
    expect(startLabel(false, sent, undefined, 10)).toBe('开始（54 个付费请求中的 20 个，连同重新生成共 30 个）');
  });
});

test('a long name is told without its middle, so that what is said of it is not cut', () => {
  expect(nameToTell('SKU-0003-lamp.png')).toBe('SKU-0003-lamp.png');
  expect(nameToTell('SKU-0003-lamp-on-a-table-by-the-window-at-night-2.png')).toBe('SKU-0003-lamp-on-a-…-night-2.png');
});
