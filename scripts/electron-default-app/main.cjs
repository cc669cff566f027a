// Loads the application named on the command line, as a stock Electron does when it has no application of its own.
const { app } = require('electron');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

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

import(pathToFileURL(entry).href).catch((error) => {
  console.error(error);
  app.exit(1);
});
