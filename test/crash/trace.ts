import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SHORT_BYTES } from '../../src/engine/media-folder/fetch/part-file.ts';
import type { JsonObject } from '../../src/shared/domain/base/json.ts';
import { judgeDurability, type GateReport } from './durability-gate.ts';
import { live } from './live.ts';
import type { Violation } from './oracle.ts';
import { RECIPES } from './recipes.ts';
import { readStraceLog } from './strace-log.ts';
import { withWorld } from './world.ts';

const STRACE = 'strace';
const CALLS = 'write,writev,pwrite64,pwritev,sendto,sendmsg,fsync,fdatasync,link,linkat,rename,renameat,renameat2';
/** Longer than a page of the store as strace writes it, every byte escaped. */
const TEXT_MAX = 5000;
/** The fewest POSTs in the night of the trace: a trace with fewer has seen nothing. */
const POSTS_MIN = 5;
const FILES_MIN = 5;

interface TraceReport extends GateReport {
  /** Of the files called done, how many a thread writes in one go, and how many stream: each way has its own syncs. */
  readonly short: number;
  readonly streamed: number;
  /** What should have been seen but was not, so that the order of the calls proves nothing about it. */
  readonly unseen: readonly string[];
  readonly broken: readonly Violation[];
}

/** Why the order of the system calls cannot be checked on this machine; undefined if it can. */
export function whyNoTrace(): string | undefined {
  if (process.platform !== 'linux') return `strace does not exist on ${process.platform}`;
  const tried = spawnSync(STRACE, ['-f', '-qq', '-e', 'trace=fsync', 'true'], { encoding: 'utf8' });
  if (tried.error !== undefined) return 'strace is not installed (the set-up step installs it where it may)';
  return tried.status === 0 ? undefined : `strace is not allowed to trace here: ${tried.stderr.trim()}`;
}

/**
 * Watches the system calls of the engine in its second life, which opens an existing store, and judges their order. The
 * first life ends in the middle of the import.
 */
export async function traceNight(seed: string, mutant?: string): Promise<TraceReport> {
  return withWorld(seed, RECIPES['songs-and-films'], async ({ gateway, oracle, order, dir }) => {
    const faulty = mutant === undefined ? order : { ...order, mutant };
    const decide = (): [] => [];
    await live({ order: { ...faulty, dieAt: { point: 'import.committed', pass: 1 } }, decide });
    const log = join(dir, 'strace.log');
    const under = [STRACE, '-f', '-y', '-qq', '-s', `${TEXT_MAX}`, '--seccomp-bpf', '-e', `trace=${CALLS}`, '-o', log];
    const life = await live({ order: faulty, decide, under });
    if (life.rows === undefined) throw new Error(`The traced life did not end: ${life.complaints.join('')}`);
    const bodies = gateway.chargeLog().map((charge) => ({
      mark: markOf(charge.body),
      sha256: charge.bodySha256,
    }));
    const report = judgeDurability(readStraceLog(readFileSync(log, 'utf8')), bodies);
    const { posts, filesDone } = report;
    const streamed = filesDone.filter((path) => isStreamed(join(order.folder, path))).length;
    const short = filesDone.length - streamed;
    const isEnough = posts >= POSTS_MIN && filesDone.length >= FILES_MIN && short > 0 && streamed > 0;
    const seen = `only ${posts} POSTs, ${short} short files and ${streamed} streamed were seen`;
    return { ...report, short, streamed, unseen: isEnough ? [] : [seen], broken: oracle.judgeEnd(life.rows) };
  });
}

function isStreamed(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > SHORT_BYTES;
}

/** The body's one text; no other row has it. */
function markOf(body: JsonObject): string {
  const [text] = Object.values(body);
  if (typeof text !== 'string') throw new Error(`A body without a text: ${JSON.stringify(body)}`);
  return text;
}
