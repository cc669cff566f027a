// Loads the application named on the command line, as a stock Electron does when it has no application of its own. A
// module that awaits: Electron is not ready before it has ended, and an application may count on that.
import { app } from 'electron';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

process.defaultApp = true;
const named = process.argv.slice(1).find((argument) => !argument.startsWith('-'));
const root = path.resolve(named ?? '.');
const isFolder = fs.statSync(root).isDirectory();
const manifest = isFolder ? JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) : {};
const entry = isFolder ? path.join(root, manifest.main ?? 'index.js') : root;

if (manifest.productName || manifest.name) app.setName(manifest.productName ?? manifest.name);
if (manifest.version) app.setVersion(manifest.version);
if (manifest.desktopName) app.setDesktopName(manifest.desktopName);
app.setPath('userData', path.join(app.getPath('appData'), app.getName()));
app.setAppPath(isFolder ? root : path.dirname(root));

try {
  await import(pathToFileURL(entry).href);
} catch (error) {
  console.error(error);
  app.exit(1);
}
