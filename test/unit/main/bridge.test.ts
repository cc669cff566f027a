import { describe, expect, test, vi } from 'vitest';
import {
  createIpcRouter,
  type IpcRouterOptions,
  type MainHandlers,
  type RequestSender,
} from '../../../src/main/ipc/bridge.ts';
import { isOwnAddress } from '../../../src/main/shell/app-protocol.ts';
import { DEFAULT_PROFILE } from '../../../src/shared/domain/gateway/profile.ts';
import { type RouteName, routes } from '../../../src/shared/ipc/contract.ts';

const OWN: RequestSender = { isTopFrame: true, url: 'app://nocturne/index.html' };

function router(overrides: Partial<MainHandlers> = {}, engine?: IpcRouterOptions['engine']) {
  const unexpected = vi.fn(() => {
    throw new Error('called');
  });
  const base = Object.fromEntries(Object.keys(routes).map((name) => [name, unexpected])) as unknown as MainHandlers;
  const log = vi.fn();
  const ask = createIpcRouter({
    handlers: { ...base, ...overrides },
    engine: engine ?? { request: unexpected },
    additions: {
      profile: () => ({ profile: DEFAULT_PROFILE }),
      profiles: () => ({ profiles: [DEFAULT_PROFILE] }),
      prices: () => ({ prices: {} }),
      clipboard: () => Promise.resolve({ html: '', text: 'a' }),
    },
    isOwnAddress: (url) => isOwnAddress(url, undefined),
    log,
  });
  return { ask, log, unexpected };
}

const settings = {
  theme: 'dark',
  language: 'en',
  baseUrl: '',
  profileName: '',
  profiles: [''],
  defaultFolder: '/x',
  currencies: [],
  currenciesOfAll: [],
  gateways: [],
} as const;

describe('requests from the window', () => {
  test('are answered', async () => {
    const { ask } = router({ 'settings.get': () => ({ ok: true, value: settings }) });
    expect(await ask(OWN, 'settings.get', undefined)).toEqual({ ok: true, value: settings });
  });

  test.each([
    { isTopFrame: false, url: OWN.url },
    { isTopFrame: true, url: 'https://elsewhere.example/' },
    { isTopFrame: true, url: 'app://other/index.html' },
    { isTopFrame: true, url: 'app://nocturne.evil/index.html' },
    { isTopFrame: true, url: 'app://user@nocturne/index.html' },
    { isTopFrame: true, url: 'media://file/1-1' },
    { isTopFrame: true, url: '' },
  ])('of a foreign frame are refused before anything else: %o', async (sender) => {
    const { ask, log, unexpected } = router();
    expect(await ask(sender, 'no.route', 'x'.repeat(2_000_000))).toMatchObject({ error: { code: 'forbidden' } });
    expect(await ask(sender, 'settings.get', undefined)).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    expect(unexpected).not.toHaveBeenCalled();
    expect(log).toHaveBeenCalled();
  });

  test.each(['no.route', '__proto__', 'toString', '', 7, undefined, ['settings.get']])(
    'for an unknown route are refused: %o',
    async (route) => {
      const { ask } = router();
      expect(await ask(OWN, route, undefined)).toMatchObject({ ok: false, error: { code: 'not-found' } });
    },
  );

  test.each<[RouteName, unknown]>([
    ['settings.get', {}],
    ['settings.update', { theme: 'dark', language: 'en', extra: 1 }],
    ['batch.get', { batchId: 'b', path: '/etc/passwd' }],
    ['sheet.choose', { path: '/etc/passwd' }],
    [
      'rows.page',
      { batchId: 'b', filter: {}, sort: { column: 'line', direction: 'ascending' }, offset: 0, limit: 501 },
    ],
    ['batch.create', { sheetId: 's', name: 'n', rehearsal: true, start: true, maxSubmits: Number.NaN }],
  ])('with an input that the contract does not know are refused: %s', async (route, input) => {
    const { ask, unexpected } = router();
    expect(await ask(OWN, route, input)).toMatchObject({ ok: false, error: { code: 'invalid-input' } });
    expect(unexpected).not.toHaveBeenCalled();
  });

  test('of more than 1 MiB are refused, whatever else they are', async () => {
    const { ask } = router();
    const reply = await ask(OWN, 'key.set', { key: 'x'.repeat(1_100_000) });
    expect(reply).toMatchObject({ error: { code: 'invalid-input', message: 'That is more than 1 MiB at once.' } });
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    expect(await ask(OWN, 'key.set', circular)).toMatchObject({ error: { code: 'invalid-input' } });
  });

  test('are answered when a handler breaks, and the window is told no details', async () => {
    const { ask, log } = router({
      'key.status': () => {
        throw new Error('secret detail');
      },
    });
    const reply = await ask(OWN, 'key.status', undefined);
    expect(reply).toMatchObject({ ok: false, error: { code: 'internal' } });
    expect(JSON.stringify(reply)).not.toContain('secret');
    expect(log).toHaveBeenCalledWith('error', expect.stringContaining('secret detail'));
  });

  test('never get more than the contract allows', async () => {
    const leaking = { ...settings, key: 'sk-secret' };
    const { ask } = router({ 'settings.get': () => ({ ok: true, value: leaking }) });
    const reply = await ask(OWN, 'settings.get', undefined);
    expect(JSON.stringify(reply)).not.toContain('sk-secret');
  });

  test('that the engine answers are passed on, with what main adds', async () => {
    const asked: unknown[] = [];
    const request = ((...question: readonly unknown[]) => {
      asked.push(question);
      return Promise.resolve({ ok: true, value: undefined });
    }) as IpcRouterOptions['engine']['request'];
    const { ask } = router({}, { request });
    expect(await ask(OWN, 'batch.pause', { batchId: 'b' })).toMatchObject({ ok: true });
    await ask(OWN, 'batch.cost', { batchId: 'b' });
    await ask(OWN, 'sheet.pasteSize', undefined);
    expect(asked).toEqual([
      ['batch.pause', { batchId: 'b' }],
      ['batch.cost', { batchId: 'b', prices: {} }],
      ['sheet.pasteSize', { html: '', text: 'a' }],
    ]);
  });

  test('of the engine cannot bring what main adds', async () => {
    const { ask, unexpected } = router();
    const input = { batchId: 'b', prices: { 'musicgen/music/lyrics': { amount: 0, currency: 'EUR' } } };
    expect(await ask(OWN, 'batch.cost', input)).toMatchObject({ error: { code: 'invalid-input' } });
    expect(unexpected).not.toHaveBeenCalled();
  });

  test('the development server is the window’s address only where there is one', () => {
    expect(isOwnAddress('http://localhost:5173/', 'http://localhost:5173')).toBe(true);
    expect(isOwnAddress('http://localhost:5173/', undefined)).toBe(false);
    expect(isOwnAddress('null', undefined)).toBe(false);
  });
});
