/** The pages of the documentation as HTML: plain files without a script, which also open from a disk. */
import { posix } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { slugOf } from './markdown.ts';

/** The pages by group, each by its file in the repository. The first is the start page. */
export const SITE: readonly (readonly [group: string, pages: readonly string[]])[] = [
  ['Begin', ['README.md', 'docs/first-night.md']],
  [
    'Use',
    [
      'docs/recipes.md',
      'docs/gates.md',
      'docs/profiles.md',
      'docs/your-data.md',
      'docs/store-on-postgresql.md',
      'docs/buckets.md',
      'docs/delivery.md',
      'docs/local-files.md',
      'docs/troubleshooting.md',
      'docs/operations.md',
      'docs/command-line.md',
      'docs/other-programs.md',
      'docs/door-commands.md',
    ],
  ],
  ['Trust', ['SECURITY.md', 'docs/hardening.md', 'CHANGELOG.md']],
  ['Change', ['CONTRIBUTING.md', 'ARCHITECTURE.md', 'docs/design.md', 'docs/performance.md']],
];

/** A file of the site. */
export interface SitePage {
  readonly name: string;
  readonly html: string;
  /** Links that lead nowhere: to a file that is not in the repository, or to a heading that is not on its page. */
  readonly broken: readonly string[];
  /** Files of the repository that it shows, such as images. */
  readonly shows: readonly string[];
}

/** The file of the repository, or undefined. */
export type ReadFile = (path: string) => string | undefined;

/** Makes all pages. `has` says whether the repository has a file or a folder. */
export function sitePages(read: ReadFile, has: (path: string) => boolean): readonly SitePage[] {
  const texts = SITE.flatMap(([, paths]) => paths).map((path) => ({ path, text: read(path) ?? '' }));
  const headings = new Map(texts.map(({ path, text }) => [path, headingsOf(text)]));
  const titleOf = (path: string): string => headings.get(path)?.find(({ depth }) => depth === 1)?.text ?? path;
  return texts.map(({ path, text }) => {
    const broken: string[] = [];
    const shows: string[] = [];
    const addressOf = (href: string): string | undefined => {
      if (/^[a-z]+:/iu.test(href)) return href;
      const [file = '', anchor] = href.split('#');
      const target = file === '' ? path : inPage(path, file);
      const known = headings.get(target);
      if (known === undefined ? !has(target) : anchor !== undefined && !known.some(({ slug }) => slug === anchor)) {
        broken.push(`${path}: ${href}`);
      }
      // A file that is in the repository but not a page of the site is named, not linked to.
      return known && nameOf(target) + (anchor === undefined ? '' : `#${anchor}`);
    };
    const marked = new Marked({
      renderer: {
        heading({ tokens, depth }: Tokens.Heading): string {
          const inside = this.parser.parseInline(tokens);
          const anchor = slugOf(plain(tokens));
          return `<h${depth} id="${anchor}">${inside}</h${depth}>\n`;
        },
        link({ href, tokens }: Tokens.Link): string {
          const inside = this.parser.parseInline(tokens);
          const address = addressOf(href);
          return address === undefined ? inside : `<a href="${escape(address)}">${inside}</a>`;
        },
        image({ href }: Tokens.Image): string {
          broken.push(`${path}: ${href}${has(inPage(path, href)) ? ': no picture of the other theme' : ''}`);
          return '';
        },
        html({ text: written }: Tokens.HTML | Tokens.Tag): string {
          if (written.startsWith('<!--')) return '';
          const picture = pictureIn(written);
          if (picture === undefined) {
            broken.push(`${path}: ${written.trim()}`);
            return '';
          }
          const [dark, light] = [picture.dark, picture.light].map((file) => inPage(path, file));
          for (const [file, href] of [
            [dark, picture.dark],
            [light, picture.light],
          ] as const) {
            if (file !== undefined && has(file)) shows.push(file);
            else broken.push(`${path}: ${href}`);
          }
          return `<picture><source media="(prefers-color-scheme: dark)" srcset="${dark}"><img src="${light}" alt="${picture.words}"></picture>\n`;
        },
        table(token: Tokens.Table): string {
          const cells = (row: readonly Tokens.TableCell[], tag: string): string =>
            `<tr>${row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
          const body = token.rows.map((row) => cells(row, 'td')).join('\n');
          return `<div class="wide"><table><thead>${cells(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
        },
      },
    });
    const body = marked.parse(text, { async: false });
    return { name: nameOf(path), html: wholePage(path, titleOf, headings.get(path) ?? [], body), broken, shows };
  });
}

interface Heading {
  readonly depth: number;
  readonly text: string;
  readonly slug: string;
}

function headingsOf(text: string): readonly Heading[] {
  return new Marked().lexer(text).flatMap((token) => {
    if (token.type !== 'heading') return [];
    const { depth, tokens } = token as Tokens.Heading;
    return { depth, text: plain(tokens), slug: slugOf(plain(tokens)) };
  });
}

/**
 * A picture in both themes, of which GitHub shows the one for the reader's theme: the light one is named
 * `NAME-light.png`, the dark one `NAME-dark.png`. Undefined for any other markup, which no page has.
 */
function pictureIn(
  markup: string,
): { readonly light: string; readonly dark: string; readonly words: string } | undefined {
  const parts =
    /^<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="(?<dark>[\w/-]+-dark\.png)" ?\/?>\s*<img alt="(?<words>[^"<>]+)" src="(?<light>[\w/-]+-light\.png)" ?\/?>\s*<\/picture>$/u.exec(
      markup.trim(),
    )?.groups;
  const { dark = '', light = '', words = '' } = parts ?? {};
  return dark !== '' && dark.replace(/-dark\.png$/u, '') === light.replace(/-light\.png$/u, '')
    ? { dark, light, words }
    : undefined;
}

/** What a page names, by its place in the repository. */
function inPage(page: string, href: string): string {
  return posix.join(posix.dirname(page), href);
}

/** The words of a heading, without what makes them bold or code. */
function plain(tokens: readonly { readonly raw: string; readonly text?: string }[]): string {
  return tokens.map(({ raw, text }) => text ?? raw).join('');
}

/** `docs/first-night.md` is `first-night.html`; the README is the start page. */
function nameOf(path: string): string {
  return path === 'README.md' ? 'index.html' : `${posix.basename(path, '.md').toLowerCase()}.html`;
}

function wholePage(
  path: string,
  titleOf: (path: string) => string,
  headings: readonly Heading[],
  body: string,
): string {
  const parts = headings.filter(({ depth }) => depth === 2);
  // A reference page has its own table of parts.
  const here = `<ul class="here">${parts.map(({ text, slug }) => `<li><a href="#${slug}">${escape(text)}</a></li>`).join('')}</ul>`;
  const groups = SITE.map(([group, paths]) => {
    const lines = paths.map((other) =>
      other === path
        ? `<li aria-current="page"><strong>${escape(titleOf(other))}</strong>${parts.length > 15 ? '' : here}</li>`
        : `<li><a href="${nameOf(other)}">${escape(titleOf(other))}</a></li>`,
    );
    return `<h2>${group}</h2><ul>${lines.join('')}</ul>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(titleOf(path))}${path === 'README.md' ? '' : ' · Nocturne'}</title>
<link rel="stylesheet" href="site.css">
</head>
<body>
<a class="skip" href="#content">To the content</a>
<nav aria-label="Pages">${groups.join('')}</nav>
<main id="content">
${body}</main>
</body>
</html>
`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
