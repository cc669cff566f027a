import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import configuration from '../../electron-builder.config.ts';
import { AFTER_INSTALL, AFTER_REMOVAL, layOutFiles } from './linux-files.ts';
import { DIST, type UnpackedProgram } from './program.ts';

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };

/** Makes a package for Fedora, openSUSE and the like with `rpmbuild`; returns its path. */
export function makeRpm(program: UnpackedProgram): string {
  const arch = ARCHITECTURES[process.arch] ?? process.arch;
  const work = mkdtempSync(join(tmpdir(), 'nocturne-rpm-'));
  const root = layOutFiles(program);
  try {
    const spec = join(work, 'nocturne.spec');
    writeFileSync(spec, specOf(program.version, root));
    execFileSync('rpmbuild', ['-bb', '--quiet', '--target', arch, '--define', `_topdir ${work}`, spec], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [made = ''] = readdirSync(join(work, 'RPMS', arch));
    const file = join(DIST, made);
    copyFileSync(join(work, 'RPMS', arch, made), file);
    return file;
  } finally {
    rmSync(root, { recursive: true, force: true });
    rmSync(work, { recursive: true, force: true });
  }
}

function specOf(version: string, root: string): string {
  const { linux, rpm } = configuration;
  return `# Everything is built already: nothing is stripped, compiled or looked into, and all dates are the commit's.
%global debug_package %{nil}
%global __os_install_post %{nil}
%global _build_id_links none
%global _buildhost localhost
%global use_source_date_epoch_as_buildtime 1
%global clamp_mtime_to_source_date_epoch 1
%global _binary_payload w3.zstdio
Name: nocturne
Version: ${version}
Release: 1
Summary: ${linux.synopsis}
License: MIT
Vendor: ${linux.vendor}
Packager: ${linux.maintainer}
AutoReqProv: no
${rpm.depends.map((name) => `Requires: ${name}\n`).join('')}
%description
${linux.description}

%install
cp -a ${root}/. %{buildroot}

%post
root=
${AFTER_INSTALL}
%postun
[ "$1" = 0 ] || exit 0
root=
${AFTER_REMOVAL}
%files
%defattr(-, root, root)
${filesOf(root).join('\n')}
`;
}

/** The whole of its own folder, and only its files in the folders that all programs share. */
function filesOf(root: string): readonly string[] {
  const own = '/usr/lib/nocturne';
  const shared = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => `/${relative(root, join(entry.parentPath, entry.name))}`)
    .filter((path) => !path.startsWith(`${own}/`));
  return [own, '%dir /usr/share/doc/nocturne', ...shared.toSorted()];
}
