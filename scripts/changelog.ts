/** The changelog, in the format of Keep a Changelog 1.1.0. */

const KINDS = new Set(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']);

interface ChangelogPart {
  /** `Unreleased`, or a version such as `0.1.0`. */
  readonly version: string;
  readonly text: string;
}

/** Its parts, newest first. */
export function changelogParts(changelog: string): readonly ChangelogPart[] {
  return changelog
    .split(/^## /mu)
    .slice(1)
    .map((part) => {
      const [head = '', ...lines] = part.split('\n');
      const version = /^\[?([^\]\s]+)\]?(?: - \d{4}-\d{2}-\d{2})?$/u.exec(head)?.[1] ?? '';
      return { version, text: lines.join('\n').trim() };
    });
}

/** What is wrong with it, line by line. */
export function changelogProblems(changelog: string): readonly string[] {
  const parts = changelogParts(changelog);
  const problems = parts[0]?.version === 'Unreleased' ? [] : ['It begins with what is unreleased.'];
  for (const [index, { version, text }] of parts.entries()) {
    if (index > 0 && !/^\d+\.\d+\.\d+$/u.test(version)) problems.push(`“${version}” is no version.`);
    const kinds = [...text.matchAll(/^### (.*)$/gmu)].map(([, kind = '']) => kind);
    for (const kind of kinds) if (!KINDS.has(kind)) problems.push(`${version}: “${kind}” is no kind of change.`);
    if (index > 0 && kinds.length === 0) problems.push(`${version}: it says nothing.`);
  }
  const versions = parts.slice(1).map(({ version }) => version);
  const sorted = versions.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  if (versions.join() !== [...new Set(sorted)].join())
    problems.push('Its versions are not each there once, newest first.');
  return problems;
}

/** What is said about a version when it is released; undefined if the changelog does not know it. */
export function releaseNotes(changelog: string, version: string): string | undefined {
  return changelogParts(changelog).find((part) => part.version === version)?.text;
}
