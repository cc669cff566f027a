import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from '../../src/gateway-sim/random.ts';
import { FUZZ_LIMITS, runJobs } from './run-jobs.ts';
import type { Finding, FuzzJob, FuzzLimits } from './run-jobs.ts';
import { loadTarget } from './targets.ts';

/** A finding that came again when its case ran alone, with everything that shows it. */
export interface ProvenFinding extends Finding {
  readonly seed: number;
  /** Where its input is kept. */
  readonly file: string;
}

export interface CampaignReport {
  /** Cases that were begun, by target. */
  readonly cases: ReadonlyMap<string, number>;
  readonly findings: readonly ProvenFinding[];
  /** What did not come again: a machine that was too busy, or memory that many cases took together. */
  readonly passing: readonly Finding[];
}

export interface CampaignOptions {
  readonly jobs: readonly FuzzJob[];
  /** Processes at a time. */
  readonly width: number;
  /** Where the inputs of findings are kept; made where it is not there. */
  readonly folder: string;
  readonly limits?: FuzzLimits;
}

/** Runs the jobs side by side, and each finding once more alone; of findings that say the same the first is kept. */
export async function runCampaign({
  jobs,
  width,
  folder,
  limits = FUZZ_LIMITS,
}: CampaignOptions): Promise<CampaignReport> {
  const scratch = mkdtempSync(join(tmpdir(), 'nocturne-fuzz-'));
  try {
    const lanes = Array.from({ length: width }, (_, lane) => jobs.filter((_job, index) => index % width === lane));
    const reports = await Promise.all(
      lanes.map((lane, index) => runJobs(lane, join(scratch, `lane-${index}`), limits)),
    );
    const found = distinct(reports.flatMap((report) => report.findings));
    const findings: ProvenFinding[] = [];
    const passing: Finding[] = [];
    for (const finding of found) {
      const job = jobs.find(({ target, first }) => target === finding.target && first <= finding.index);
      if (job === undefined) throw new Error(`No job had the target ${finding.target}`);
      const again = await runJobs(
        [{ ...withoutTime(job), first: finding.index, count: 1 }],
        join(scratch, 'alone'),
        limits,
      );
      const proven = again.findings.find(({ kind }) => kind === finding.kind);
      if (proven === undefined) passing.push(finding);
      else findings.push({ ...proven, seed: job.seed, file: await keepInput(finding, job, folder) });
    }
    return { cases: new Map(reports.flatMap((report) => [...report.cases])), findings, passing };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function withoutTime({ target, seed, first, count, file }: FuzzJob): FuzzJob {
  return { target, seed, first, count, ...(file === undefined ? {} : { file }) };
}

function distinct(findings: readonly Finding[]): readonly Finding[] {
  const bySignature = new Map<string, Finding>();
  for (const finding of findings) {
    const signature = signatureOf(finding);
    if (!bySignature.has(signature)) bySignature.set(signature, finding);
  }
  return [...bySignature.values()];
}

/** Its kind, its words without their numbers, and the first place in the program. */
function signatureOf({ kind, target, detail }: Finding): string {
  const [words = ''] = detail.split('\n');
  const place = /\/src\/[^)\s]+/u.exec(detail)?.[0] ?? '';
  return [kind, target, words.slice(0, 80).replaceAll(/\d+/gu, '#'), place].join('|');
}

async function keepInput({ target, index }: Finding, { seed, file }: FuzzJob, folder: string): Promise<string> {
  if (file !== undefined) return file;
  const { makeInput, extension } = await loadTarget(target);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${target}-${seed}-${index}.${extension}`);
  writeFileSync(path, makeInput(new SeededRandom(seed, target, index)));
  return path;
}
