import { describe, expect, test } from 'vitest';
import type { Engine } from '../../../src/engine/index.ts';
import { ChangeFeed } from '../../../src/engine/change-feed.ts';
import {
  ChangeCoalescer,
  reportChanges,
  type GatheredChange,
} from '../../../src/main/engine-process/report-changes.ts';
import type { SheetView } from '../../../src/shared/ipc/opening.ts';
import { EventFeed } from '../../../src/main/ipc/bridge.ts';
import { FileTotals } from '../../../src/main/services/batch-files.ts';
import type { TaskFiles } from '../../../src/shared/domain/task/views/exported-row.ts';
import type { Output, Task } from '../../../src/shared/domain/task/task.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { makeTask } from '../../support/make-task.ts';

describe('changes for the window', () => {
  test('are gathered: ten thousand in a second are told ten times', async () => {
    const clock = new FakeClock();
    const told: (readonly GatheredChange[])[] = [];
    const coalescer = new ChangeCoalescer(clock, (changes) => told.push(changes));
    for (let i = 0; i < 10_000; i += 1) {
      coalescer.add('b1', [`row-${i % 300}`]);
      if (i % 100 === 99) await clock.advance(10);
    }
    await clock.advance(1_000);
    expect(told.length).toBeGreaterThanOrEqual(9);
    expect(told.length).toBeLessThanOrEqual(11);
    expect(told.every((changes) => changes.length === 1)).toBe(true);
    expect(told[0]?.[0]?.rows.size).toBe(300);
  });

  test('of several batches arrive together, and nothing is told when nothing changes', async () => {
    const clock = new FakeClock();
    const told: string[][] = [];
    const coalescer = new ChangeCoalescer(clock, (changes) => told.push(changes.map((change) => change.batchId)));
    coalescer.add('b1', []);
    coalescer.add('b2', ['r']);
    await clock.advance(100);
    await clock.advance(10_000);
    expect(told).toEqual([['b1', 'b2']]);
  });

  test('say that the list has changed when another process has removed a batch', async () => {
    const throwOn = (error: unknown): never => {
      throw error;
    };
    const feed = new ChangeFeed(throwOn);
    const store = { batches: () => Promise.resolve([{ id: 'b1' }]) };
    const engine = { store, onChange: (listener) => feed.listen(listener) } as Pick<Engine, 'onChange'>;
    const nothing = { changed: () => Promise.resolve(undefined) };
    const told: string[] = [];
    const services = { batches: nothing, sheets: nothing };
    const reporting = await reportChanges(engine as Engine, services, (name) => void told.push(name), throwOn);
    feed.tell({ kind: 'removed', batchId: 'b1' });
    expect(told).toEqual(['batch.listChanged']);
    await reporting.stop();
  });

  test('are numbered without a gap', () => {
    const sent: unknown[] = [];
    const feed = new EventFeed((event, payload) => sent.push([event, payload]));
    feed.emit('batch.listChanged', {});
    feed.emit('engine.stateChanged', { state: 'ready', message: '' });
    expect(sent).toEqual([
      ['batch.listChanged', { sequence: 1 }],
      ['engine.stateChanged', { sequence: 2, state: 'ready', message: '' }],
    ]);
    expect(feed.sequence).toBe(2);
  });

  test('a notice that had to wait for a page says when it came', () => {
    const sent: unknown[] = [];
    const feed = new EventFeed(
      (_event, payload) => sent.push(payload),
      () => 7_000,
    );
    const notice = { level: 'warning', title: 'Please check', message: '' } as const;
    feed.emit('notice', notice);
    feed.heard();
    feed.emit('notice', notice);
    expect(sent).toEqual([
      { ...notice, at: 7_000, sequence: 1 },
      { ...notice, sequence: 2 },
    ]);
  });

  test('that are said once wait for a page that listens, also while the window is away; the rest it asks for', () => {
    const sent: string[] = [];
    const feed = new EventFeed((event, payload) => sent.push(`${(payload as { sequence: number }).sequence} ${event}`));
    const notice = { level: 'warning', title: 'Please check', message: '' } as const;
    feed.emit('notice', notice);
    feed.emit('batch.listChanged', {});
    expect(sent).toEqual(['1 batch.listChanged']);
    feed.heard();
    feed.emit('notice', notice);
    expect(sent.slice(1)).toEqual(['2 notice', '3 notice']);
    feed.unheard();
    feed.emit('sheet.opened', { sheet: {} as SheetView });
    feed.emit('ledger.wanted', {});
    feed.emit('batch.listChanged', {});
    feed.heard();
    feed.heard();
    expect(sent.slice(3)).toEqual(['4 batch.listChanged', '5 sheet.opened', '6 ledger.wanted']);
  });
});

function verified(index: number, bytes: number): Output {
  return {
    index,
    state: 'verified',
    generation: 1,
    tries: 0,
    path: `a${index}`,
    sha256: '',
    bytes,
    mediaType: 'image/png',
  };
}

function changed(id: number, outputs: readonly Output[]): Task {
  return { ...makeTask(), id, batchId: 'b', outputs };
}

describe('the files of a batch', () => {
  test('are counted once and kept up with every change', async () => {
    let counts = 0;
    const totals = new FileTotals(() => {
      counts += 1;
      return Promise.resolve([
        { task: 1, files: 1, bytes: 10 },
        { task: 3, files: 4, bytes: 40 },
      ]);
    });
    totals.note(changed(2, [verified(1, 5)]));
    expect(await totals.of('b')).toEqual({ files: 5, bytes: 50 });
    totals.note(changed(2, [verified(1, 5), { ...verified(2, 7), state: 'pending' }]));
    totals.note(changed(2, [verified(1, 5), verified(2, 7)]));
    totals.note(changed(2, [verified(1, 5), verified(2, 7)]));
    expect(await totals.of('b')).toEqual({ files: 7, bytes: 62 });
    totals.note(changed(1, []));
    expect(await totals.of('b')).toEqual({ files: 6, bytes: 52 });
    expect(counts).toBe(1);
  });

  test('what changes while they are counted is newer than what is counted', async () => {
    let count: (files: readonly TaskFiles[]) => void = () => undefined;
    const totals = new FileTotals(() => new Promise((resolve) => (count = resolve)));
    const asked = [totals.of('b'), totals.of('b')];
    totals.note(changed(1, [verified(1, 5), verified(2, 7)]));
    count([{ task: 1, files: 1, bytes: 5 }]);
    expect(await Promise.all(asked)).toEqual([
      { files: 2, bytes: 12 },
      { files: 2, bytes: 12 },
    ]);
  });
});
