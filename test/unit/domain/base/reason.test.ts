import { afterEach, expect, test } from 'vitest';
import { failure, failureText, saidBy, spokenMessage } from '../../../../src/shared/domain/base/failure.ts';
import {
  inEnglish,
  reason,
  SaidError,
  say,
  spoken,
  systemSays,
  thrownSays,
} from '../../../../src/shared/domain/base/reason.ts';
import { speakLanguage } from '../../../../src/shared/words/catalogues.ts';

afterEach(() => speakLanguage('en'));

test('what is recorded is in English whatever the process speaks, and is said in its language', () => {
  speakLanguage('zh-Hans');
  const late = failure('OVERDUE', reason('overdue', 48), { tries: 3 });
  expect(late).toEqual({
    code: 'OVERDUE',
    message: 'The gateway had not finished it 48 h after it was submitted.',
    reason: { text: 'overdue', facts: [48] },
    data: { tries: 3 },
  });
  expect(spokenMessage(late)).toBe('提交 48 小时后，网关仍未完成。');
  expect(failureText(late)).toBe(
    '未在期限内完成：提交 48 小时后，网关仍未完成。 重试该行：Nocturne 会再次询问网关。不会再次付费。',
  );
  // As it comes back from the store.
  const { reason: said } = JSON.parse(JSON.stringify(late)) as typeof late;
  expect(said && spoken(said)).toBe('提交 48 小时后，网关仍未完成。');
  speakLanguage('en');
  expect(spokenMessage(late)).toBe(late.message);
});

test('a text goes into another one, and the gateway’s own words stay as they are', () => {
  const theirs = failure('INPUT_INVALID', 'prompt is too long');
  expect(theirs).toEqual({ code: 'INPUT_INVALID', message: 'prompt is too long' });
  const alike = failure('FUSE_BLOWN', reason('failedAlike', 3, reason('failureTitle', theirs.code), saidBy(theirs)));
  expect(alike.message).toBe(
    'The last 3 requests failed in the same way, “Refused by the gateway”: prompt is too long.',
  );
  speakLanguage('zh-Hans');
  expect(spokenMessage(alike)).toBe('最近 3 个请求以相同方式失败，“被网关拒绝”：prompt is too long.');
  expect(spokenMessage(theirs)).toBe('prompt is too long');
});

test('what a later version has recorded is said as it was recorded', () => {
  speakLanguage('zh-Hans');
  const known = { code: 'OVERDUE', message: 'Too late.' } as const;
  for (const unknown of [
    { text: 'noSuchText' },
    { text: 'toString' },
    { text: 'body' },
    { text: 'body.constructor' },
    { text: 'overdue' },
    { text: 'both', facts: ['First.', { text: 'noSuchText' }] },
  ])
    expect(spokenMessage({ ...known, reason: unknown })).toBe('Too late.');
});

test('a sentence is joined as its language does', () => {
  const both = reason('both', reason('otherFolder', '/media', reason('another.noFiles')), reason('notMounted'));
  expect(inEnglish(both)).toBe(
    '/media is no longer the same folder: none of its files is there. Is its disk or share not mounted?',
  );
  // What a gateway says ends as it likes.
  const quoted = reason('both', reason('words', 'busy (HTTP 200, code 200)'), reason('redirectsElsewhere'));
  expect(inEnglish(quoted)).toBe('busy (HTTP 200, code 200). It redirects elsewhere.');
  speakLanguage('zh-Hans');
  expect(say(both)).toBe('/media 已不是原来的文件夹：其中没有任何该批次的文件。它的磁盘或共享是否未挂载？');
});

test('an error of the system is recorded as it is, and said by its code if that is known', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const odd = Object.assign(new Error('bad things happened'), { code: 'ERR_ODD' });
  const ours = new SaidError(reason('plainHttp', '10.0.0.1'));
  expect([full, odd, ours, 'no error'].map((error) => inEnglish(systemSays(error)))).toEqual([
    'ENOSPC: no space left on device, write',
    'bad things happened',
    ours.message,
    'no error',
  ]);
  expect(inEnglish(thrownSays(full))).toBe('Error: ENOSPC: no space left on device, write');
  expect(inEnglish(thrownSays(ours))).toBe(`Error: ${ours.message}`);
  speakLanguage('zh-Hans');
  expect(inEnglish(systemSays(full))).toBe('ENOSPC: no space left on device, write');
  expect([full, odd, ours].map((error) => say(systemSays(error)))).toEqual([
    '磁盘已满，ENOSPC',
    '“bad things happened”',
    '普通 http 会将密钥以未加密的方式发送到 10.0.0.1；请使用 https',
  ]);
});
