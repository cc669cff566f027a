/** What is done about a known weakness of a dependency, and about the age of the Electron that is shipped. */
import { z } from 'zod';

const DAY_MS = 86_400_000;
/** How long a release of our Electron's line may be out before we ship it; see SECURITY.md. */
const PATCH_DAYS = 14;
/** Electron fixes its newest three lines. */
const MENDED_LINES = 3;

const day = z.iso.date();

/** `audit-policy.json`: findings that do not fail the audit, each for a reason and until a day. */
export const auditPolicy = z.strictObject({
  accepted: z.array(
    z.strictObject({
      /** The id of the advisory: `GHSA-…`. */
      id: z.string().min(1),
      package: z.string().min(1),
      reason: z.string().min(20),
      /** The last day on which it is accepted. */
      until: day,
    }),
  ),
});
export type AuditPolicy = z.infer<typeof auditPolicy>;

/** What `npm audit --json` prints; if it could not ask, it has no `vulnerabilities`. */
const auditReport = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({
      via: z.array(
        z.union([
          z.string(),
          z.object({ name: z.string(), title: z.string(), url: z.string(), severity: z.string(), range: z.string() }),
        ]),
      ),
    }),
  ),
});

interface Finding {
  readonly id: string;
  readonly package: string;
  readonly words: string;
}

/** The result of an audit. `unasked`: the registry did not answer, so nothing is known. */
export type AuditOutcome =
  | { readonly kind: 'unasked'; readonly why: string }
  | {
      readonly kind: 'asked';
      readonly accepted: readonly string[];
      /** What has to be done before this is released, line by line. */
      readonly open: readonly string[];
    };

/** Compares what npm reports with the policy. `today` is a day such as `2026-11-23`. */
export function judgeAudit(report: unknown, policy: AuditPolicy, today: string): AuditOutcome {
  const parsed = auditReport.safeParse(report);
  if (!parsed.success) return { kind: 'unasked', why: whyUnasked(report) };
  const findings = findingsOf(parsed.data);
  const acceptance = (finding: Finding): AuditPolicy['accepted'][number] | undefined =>
    policy.accepted.find(({ id, package: name }) => id === finding.id && name === finding.package);
  const accepted: string[] = [];
  const open: string[] = [];
  for (const finding of findings) {
    const given = acceptance(finding);
    if (given === undefined) open.push(finding.words);
    else if (given.until < today) open.push(`${finding.words}: was accepted until ${given.until}`);
    else accepted.push(`${finding.words}: accepted until ${given.until}, because ${given.reason}`);
  }
  for (const { id, package: name } of policy.accepted) {
    const isFound = findings.some((finding) => finding.id === id && finding.package === name);
    if (!isFound) open.push(`${name}, ${id}: accepted, but no longer found; take it out of audit-policy.json`);
  }
  return { kind: 'asked', accepted, open };
}

/** Every advisory once, though npm names it for each package that leads to it. */
function findingsOf({ vulnerabilities }: z.infer<typeof auditReport>): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const { via } of Object.values(vulnerabilities)) {
    for (const advisory of via) {
      if (typeof advisory === 'string') continue;
      const { name, title, url, severity, range } = advisory;
      const id = url.slice(url.lastIndexOf('/') + 1);
      found.set(`${id} ${name}`, { id, package: name, words: `${name} ${range}, ${severity}: ${title} (${id})` });
    }
  }
  return [...found.values()];
}

function whyUnasked(report: unknown): string {
  const { message } = z.object({ message: z.string().optional() }).catch({}).parse(report);
  return message ?? 'npm gave no report';
}

/**
 * Says how old the pinned Electron is, and what the rule asks for. `published` is when each version was released;
 * `now` in ms.
 */
export function electronAge(
  pinned: string,
  published: Readonly<Record<string, string>>,
  now: number,
): readonly string[] {
  const daysSince = (version: string): number => Math.floor((now - Date.parse(published[version] ?? '')) / DAY_MS);
  const releases = Object.keys(published).filter((version) => /^\d+\.\d+\.\d+$/u.test(version));
  const newest = releases.toSorted(byVersion).at(-1);
  if (newest === undefined || published[pinned] === undefined) return [`Electron ${pinned}: its release is not known.`];
  const lines = [`Electron ${pinned} was released ${daysSince(pinned)} days ago.`];
  const missed = releases.filter((version) => lineOf(version) === lineOf(pinned) && byVersion(pinned, version) < 0);
  const oldest = missed.toSorted(byVersion)[0];
  if (oldest !== undefined) {
    const isLate = daysSince(oldest) > PATCH_DAYS;
    lines.push(
      `${missed.length} later of its line; the first has been out for ${daysSince(oldest)} of ${PATCH_DAYS} days` +
        (isLate ? ': it is time to release one.' : '.'),
    );
  }
  const behind = lineOf(newest) - lineOf(pinned);
  if (behind >= MENDED_LINES) lines.push(`Its line is no longer mended: the newest is ${lineOf(newest)}.`);
  else if (behind > 0)
    lines.push(`The newest line is ${lineOf(newest)}; ours is mended until ${lineOf(pinned) + MENDED_LINES}.`);
  return lines;
}

function lineOf(version: string): number {
  return Number.parseInt(version, 10);
}

function byVersion(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
