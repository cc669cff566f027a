import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import configuration from '../../electron-builder.config.ts';
import { AFTER_INSTALL, AFTER_PURGE, AFTER_REMOVAL, layOutFiles } from './linux-files.ts';
import { DIST, type UnpackedProgram } from './program.ts';

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Makes a package for Debian and Ubuntu with their own `dpkg-deb`; returns its path. */
export function makeDeb(program: UnpackedProgram): string {
  const arch = ARCHITECTURES[process.arch] ?? process.arch;
  const file = join(DIST, `nocturne_${program.version}_${arch}.deb`);
  const root = layOutFiles(program);
  try {
    const files = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted();
    const kilobytes = files.reduce((sum, path) => sum + Math.ceil(statSync(path).size / 1024), 0);
    const sums = files.map((path) => `${md5(path)}  ${relative(root, path)}\n`).join('');
    const scripts = join(root, 'DEBIAN');
    mkdirSync(scripts, { mode: 0o755 });
    const write = (name: string, text: string, mode: number): void =>
      writeFileSync(join(scripts, name), text, { mode });
    write('control', control(program.version, arch, kilobytes), 0o644);
    write('md5sums', sums, 0o644);
    write('postinst', script({ configure: AFTER_INSTALL }), 0o755);
    write('postrm', script({ remove: AFTER_REMOVAL, purge: AFTER_PURGE }), 0o755);
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zzstd', '--build', root, file], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return file;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** dpkg checks what is installed against these; they guard against decay, not against anybody. */
function md5(path: string): string {
  return createHash('md5').update(readFileSync(path)).digest('hex');
}

function control(version: string, arch: string, kilobytes: number): string {
  const { deb, linux } = configuration;
  return [
    'Package: nocturne',
    `Version: ${version}`,
    `Architecture: ${arch}`,
    `Maintainer: ${linux.maintainer}`,
    `Installed-Size: ${kilobytes}`,
    `Depends: ${deb.depends.join(', ')}`,
    `Recommends: ${deb.recommends.join(', ')}`,
    `Section: ${deb.packageCategory}`,
    'Priority: optional',
    `Description: ${linux.synopsis}`,
    ` ${linux.description}`,
    '',
  ].join('\n');
}

function script(commands: Readonly<Record<string, string>>): string {
  const cases = Object.entries(commands).map(([occasion, text]) => `${occasion})\n${text};;\n`);
  return `#!/bin/sh\nset -e\nroot=$DPKG_ROOT\ncase "$1" in\n${cases.join('')}esac\n`;
}
