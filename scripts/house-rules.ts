import { posix } from 'node:path';
import { parseSync } from 'oxc-parser';
import { importsOf } from './import-rules.ts';

/** What the house rules need to know of a source file. */
export interface SourceFile {
  readonly path: string;
  /** Files of the repository that it imports, even if only for types. */
  readonly imports: readonly string[];
  /** Names that are defined here and exported. */
  readonly exports: readonly string[];
}

/** An exported name with every file that defines it. */
export interface RepeatedExport {
  readonly name: string;
  readonly definedIn: readonly string[];
}

export function sourceFile(path: string, source: string): SourceFile {
  const relative = importsOf(path, source)
    .map(({ specifier }) => specifier.replace(/\?.*$/u, ''))
    .filter((specifier) => specifier.startsWith('.'));
  return {
    path,
    imports: relative.map((specifier) => posix.join(posix.dirname(path), specifier)),
    exports: exportsOf(path, source),
  };
}

/** Names that more than one file defines and exports: a reader searching for one finds two. */
export function repeatedExports(files: readonly SourceFile[]): readonly RepeatedExport[] {
  const byName = new Map<string, string[]>();
  for (const { path, exports } of files) {
    for (const name of exports) byName.set(name, [...(byName.get(name) ?? []), path]);
  }
  return [...byName]
    .map(([name, definedIn]) => ({ name, definedIn }))
    .filter(({ definedIn }) => definedIn.length > 1)
    .toSorted((a, b) => a.name.localeCompare(b.name));
}

/** Groups of files that import each other, directly or through others (strongly connected components, Tarjan 1972). */
export function findCircles(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const seen = new Map<string, { index: number; low: number }>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = ({ path, imports }: SourceFile): { index: number; low: number } => {
    const mark = { index: seen.size, low: seen.size };
    seen.set(path, mark);
    open.push(path);
    for (const target of imports) {
      const known = seen.get(target);
      const next = byPath.get(target);
      if (known === undefined && next !== undefined) mark.low = Math.min(mark.low, visit(next).low);
      else if (known !== undefined && open.includes(target)) mark.low = Math.min(mark.low, known.index);
    }
    if (mark.low === mark.index) {
      const circle = open.splice(open.indexOf(path));
      if (circle.length > 1) circles.push(circle.toSorted());
    }
    return mark;
  };
  for (const file of files) if (!seen.has(file.path)) visit(file);
  return circles;
}

function exportsOf(path: string, source: string): readonly string[] {
  const names: string[] = [];
  for (const statement of parseSync(path, source).program.body) {
    if (statement.type !== 'ExportNamedDeclaration' || statement.source) continue;
    const { declaration } = statement;
    if (!declaration) {
      names.push(...statement.specifiers.map(({ exported }) => (exported.type === 'Identifier' ? exported.name : '')));
    } else if (declaration.type === 'VariableDeclaration') {
      for (const { id } of declaration.declarations) if (id.type === 'Identifier') names.push(id.name);
    } else if ('id' in declaration && declaration.id?.type === 'Identifier') {
      names.push(declaration.id.name);
    }
  }
  return [...new Set(names)];
}
