/**
 * A real WebDAV server for tests: Debian's Apache, on the loopback address, with a configuration and a folder of its
 * own.
 */
import { spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHash } from 'node:crypto';

export interface WebdavServer {
  /** The address of the folder, without a slash at its end. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** The names in the folder. */
  names(): readonly string[];
  bytesOf(name: string): Buffer;
  write(name: string, content: Buffer | string): void;
  remove(name: string): void;
  close(): Promise<void>;
}

const PROGRAM = '/usr/sbin/apache2';
const MODULES = '/usr/lib/apache2/modules';
const LOADED = ['mpm_event', 'authn_core', 'authn_file', 'authz_core', 'authz_user', 'auth_basic', 'dav', 'dav_fs'];
/** Apache does not run as root. */
const NOBODY = 65_534;

/** Whether this machine has the server. */
export const WEBDAV_SERVER_IS_HERE = existsSync(PROGRAM);

if (!WEBDAV_SERVER_IS_HERE)
  console.warn('No Apache is here (npm run setup installs it): the tests of WebDAV folders are left out.');

/** Starts a server with an empty folder: everybody may read in it, and its user may write. */
export async function startWebdavServer(): Promise<WebdavServer> {
  const isRoot = process.getuid?.() === 0;
  // A user's temporary folder lets nobody else in, and the server runs as somebody else.
  const root = mkdtempSync(join(isRoot ? '/tmp' : tmpdir(), 'nocturne-webdav-'));
  const files = join(root, 'htdocs', 'in put');
  const user = 'sheet';
  const password = 'a-passwörd-of-the-folder-70d2';
  mkdirSync(files, { recursive: true });
  // In UTF-8, as browsers and others do.
  const digest = createHash('sha1').update(password, 'utf8').digest('base64');
  writeFileSync(join(root, 'users'), `${user}:{SHA}${digest}\n`);
  const port = await freePort();
  writeFileSync(join(root, 'httpd.conf'), configuration(root, port));
  if (isRoot) for (const path of [root, join(root, 'htdocs'), files]) chownSync(path, NOBODY, NOBODY);
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const args = ['-f', join(root, 'httpd.conf'), '-D', 'FOREGROUND'];
  const server = spawn(PROGRAM, args, { stdio: 'ignore', ...as });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}/in%20put`;
  for (let tries = 0; ; tries += 1) {
    const isUp = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isUp) break;
    if (tries === 200 || server.exitCode !== null)
      throw new Error(`Apache did not start: ${readFileSync(join(root, 'errors'), 'utf8')}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url,
    user,
    password,
    names: () => readdirSync(files).filter((name) => !name.startsWith('.')),
    bytesOf: (name) => readFileSync(join(files, name)),
    write: (name, content) => writeFileSync(join(files, name), content),
    remove: (name) => rmSync(join(files, name)),
    async close() {
      server.kill('SIGTERM');
      await ended;
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function configuration(root: string, port: number): string {
  return [
    ...LOADED.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`),
    `ServerRoot "${root}"`,
    `PidFile "${root}/pid"`,
    `ErrorLog "${root}/errors"`,
    'ServerName 127.0.0.1',
    `Listen 127.0.0.1:${port}`,
    `DocumentRoot "${root}/htdocs"`,
    `DavLockDB "${root}/locks"`,
    `<Directory "${root}/htdocs">`,
    'Dav On',
    'AuthType Basic',
    'AuthName "in put"',
    `AuthUserFile "${root}/users"`,
    '<RequireAny>',
    'Require method GET HEAD OPTIONS',
    'Require valid-user',
    '</RequireAny>',
    '</Directory>',
    '',
  ].join('\n');
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
