/** Writes the documentation as HTML to `out/site`; fails if one of its links leads nowhere. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sitePages } from './docs/site-pages.ts';

const ROOT = join(import.meta.dirname, '..');
const SITE_FOLDER = join(ROOT, 'out', 'site');

const pages = sitePages(
  (path) => readFileSync(join(ROOT, path), 'utf8'),
  (path) => existsSync(join(ROOT, path)),
);
rmSync(SITE_FOLDER, { recursive: true, force: true });
mkdirSync(SITE_FOLDER, { recursive: true });
for (const { name, html, shows } of pages) {
  writeFileSync(join(SITE_FOLDER, name), html);
  for (const file of shows) {
    mkdirSync(dirname(join(SITE_FOLDER, file)), { recursive: true });
    cpSync(join(ROOT, file), join(SITE_FOLDER, file));
  }
}
cpSync(join(import.meta.dirname, 'docs', 'site.css'), join(SITE_FOLDER, 'site.css'));
const broken = pages.flatMap((page) => page.broken);
for (const link of broken) console.error(`leads nowhere: ${link}`);
console.log(`out/site: ${pages.length} pages`);
process.exitCode = broken.length === 0 ? 0 : 1;
