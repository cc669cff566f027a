import path from 'node:path';
import { visibleLine } from '../../shared/domain/base/text.ts';
import { verifyFolder } from '../../engine/index.ts';
import type { Console } from '../console.ts';
import { count } from '../describe.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';

/** Kinds of problem that mean that there is no manifest to hold the folder against. */
const NO_MANIFEST: ReadonlySet<string> = new Set(['manifest-missing', 'manifest-invalid', 'manifest-too-large']);

/** Checks every file of a media folder against its manifest; needs nothing but the folder. */
export async function verifyCommand(console: Console, dir: string): Promise<ExitCode> {
  const report = await verifyFolder(path.resolve(dir));
  console.document(report);
  for (const problem of report.problems) console.problem(`error: ${visibleLine(problem.message, 400)}`);
  if (report.problems.some((problem) => NO_MANIFEST.has(problem.kind))) {
    console.problem('    → Name a media folder that Nocturne wrote; nocturne export writes its documents again.');
    return EXIT.usage;
  }
  if (report.extras.length > 0) console.line(`${count(report.extras.length, 'file')} not in the manifest, left alone.`);
  const summary = `${report.folder}: ${report.verified} of ${count(report.files, 'file')} verified`;
  console.line(report.ok ? summary : `${summary}, ${count(report.problems.length, 'problem')}`);
  return report.ok ? EXIT.done : EXIT.failedRows;
}
