import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hitServer, startCluster, startServerMeanwhile, stopCluster } from '../../support/postgres-cluster.ts';

const MEMORY = '/dev/shm';

function cluster(): string {
  const folder = mkdtempSync(path.join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'nocturne-hit-'));
  onTestFinished(() => stopCluster(folder));
  startCluster(folder);
  return folder;
}

function notes(folder: string): readonly string[] {
  return readFileSync(path.join(folder, 'data/postmaster.pid'), 'utf8').split('\n');
}

/** The System V segments of this machine, by their numbers. */
function segments(): readonly string[] {
  const [, ...lines] = readFileSync('/proc/sysvipc/shm', 'utf8').split('\n');
  return lines.map((line) => line.trim().split(/ +/u)[1] ?? '');
}

test.runIf(process.platform === 'linux')('a server that was hit is waited for, and starts again', async () => {
  const folder = cluster();
  for (const how of ['crash', 'immediate'] as const) {
    const [before] = notes(folder);
    hitServer(folder, how);
    await startServerMeanwhile(folder);
    expect(notes(folder)[0]).not.toBe(before);
  }
  // Whoever starts too early is told so here.
  expect(readFileSync(path.join(folder, 'log'), 'utf8')).not.toContain('already exists');
});

test.runIf(process.platform === 'linux')('nothing of a server that was killed outlives its folder', () => {
  const folder = cluster();
  const { 0: pid = '', 6: memory = '' } = notes(folder);
  const [, segment = ''] = memory.trim().split(/ +/u);
  expect(segments()).toContain(segment);
  const shared = readFileSync(`/proc/${pid}/maps`, 'utf8').match(/\/dev\/shm\/\S+/gu) ?? [];
  expect(shared.filter((file) => !file.startsWith(folder))).toEqual([]);
  hitServer(folder, 'crash');
  stopCluster(folder);
  expect(segments()).not.toContain(segment);
  expect(existsSync(folder)).toBe(false);
});
