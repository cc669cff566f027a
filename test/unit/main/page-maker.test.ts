import { expect, test, vi } from 'vitest';
import { PageMaker } from '../../../src/main/thumbnails/page-maker.ts';
import type { ServedFile } from '../../../src/main/shell/media-protocol.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const electron = vi.hoisted(() => ({ opened: 0, crashed: 0 }));

/** A page that cannot be opened the first time; after that, it never says anything. */
vi.mock('electron', () => ({
  session: {
    fromPartition: () => ({
      webRequest: { onBeforeRequest: () => undefined },
      protocol: { handle: () => undefined, unhandle: () => undefined },
      on: () => undefined,
      setPermissionRequestHandler: () => undefined,
      setPermissionCheckHandler: () => undefined,
      setDevicePermissionHandler: () => undefined,
      setDisplayMediaRequestHandler: () => undefined,
    }),
  },
  WebContentsView: class {
    readonly webContents = {
      setAudioMuted: () => {
        electron.opened += 1;
        if (electron.opened === 1) throw new Error('No view today');
      },
      on: () => undefined,
      once: () => undefined,
      loadURL: () => new Promise(() => undefined),
      isDestroyed: () => false,
      forcefullyCrashRenderer: () => void (electron.crashed += 1),
      close: () => undefined,
    };
  },
}));

test('a page that cannot be opened costs one picture, and ends no page after it', async () => {
  const clock = new FakeClock();
  const said: string[] = [];
  const maker = new PageMaker({
    clock,
    log: (_level, text) => void said.push(text),
    servePage: () => Promise.resolve(new Response(null)),
  });
  const file: ServedFile = { path: '/nowhere', mediaType: 'image/png', bytes: 1 };
  expect(await maker.make(file, 'image')).toBe('unavailable');
  expect(said).toEqual(['the page for small pictures could not be opened: No view today']);
  expect(electron.crashed).toBe(1);
  await clock.advance(29_000);
  const next = maker.make(file, 'image');
  // The first one's time would be over.
  await clock.advance(2_000);
  expect([electron.opened, electron.crashed, said.length]).toEqual([2, 1, 1]);
  maker.close();
  expect(await next).toBe('unavailable');
});
