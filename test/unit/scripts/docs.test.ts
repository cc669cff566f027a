import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SITE, sitePages } from '../../../scripts/docs/site-pages.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import { FAILURE_CODES } from '../../../src/shared/domain/base/failure.ts';
import { profileSchema } from '../../../src/shared/domain/gateway/profile.ts';

const ROOT = join(import.meta.dirname, '../../..');
const GUIDES = ['README.md', 'docs/first-night.md', 'docs/profiles.md', 'docs/recipes.md'];

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The blocks of a page in one language. */
function blocks(path: string, language: string): readonly string[] {
  return [...read(path).matchAll(new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^ *\`\`\``, 'gmu'))].map(
    ([, , text = '']) => text,
  );
}

describe('the documentation as a site', () => {
  const pages = sitePages(read, (path) => existsSync(join(ROOT, path)));

  test('has every page, and no link of it leads nowhere', () => {
    expect(pages.flatMap(({ broken }) => broken)).toEqual([]);
    expect(pages.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['index.html', 'first-night.html', 'troubleshooting.html']),
    );
    expect(pages).toHaveLength(SITE.flatMap(([, paths]) => paths).length);
  });

  test('opens from a disk: no script, and nothing from elsewhere', () => {
    for (const { html } of pages) {
      expect(html).not.toMatch(/<script|<iframe|src="https?:|href="\//u);
      expect(html).toContain('<link rel="stylesheet" href="site.css">');
    }
  });

  test('names a link that leads nowhere: to a page, to a heading, to a picture', () => {
    const broken = sitePages(
      (path) =>
        path === 'README.md' ? '# A\n[b](nothing.md) [c](#nothing) [d](SECURITY.md#b-c) ![e](e.png)\n' : '# B c\n',
      () => false,
    );
    expect(broken.flatMap((page) => page.broken)).toEqual([
      'README.md: nothing.md',
      'README.md: #nothing',
      'README.md: e.png',
    ]);
  });

  const picture = (dark: string, light: string, words = 'A night'): string =>
    `<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="${dark}">\n  <img alt="${words}" src="${light}">\n</picture>\n`;

  test('shows pictures in the theme of the reader, and names one that lacks the other theme', () => {
    const readme = (text: string, ...files: readonly string[]) => {
      const [page] = sitePages(
        (path) => (path === 'README.md' ? text : ''),
        (path) => files.includes(path),
      );
      return page;
    };
    const both = readme(picture('a-dark.png', 'a-light.png'), 'a-dark.png', 'a-light.png');
    expect(both).toMatchObject({ broken: [], shows: ['a-dark.png', 'a-light.png'] });
    expect(both?.html).toContain('srcset="a-dark.png"><img src="a-light.png" alt="A night">');
    for (const [text, ...files] of [
      [picture('a-dark.png', 'a-light.png'), 'a-light.png'],
      [picture('a-dark.png', 'a-light.png'), 'a-dark.png'],
      [picture('a-dark.png', 'b-light.png'), 'a-dark.png', 'b-light.png'],
      [picture('a-dark.png', 'a-light.png', ''), 'a-dark.png', 'a-light.png'],
      ['![A night](a-light.png)', 'a-light.png', 'a-dark.png'],
      ['<img alt="A night" src="a-light.png">', 'a-light.png', 'a-dark.png'],
    ] as const) {
      expect(readme(text, ...files)?.broken).toHaveLength(1);
    }
  });

  test('shows every picture that is kept', () => {
    const shown = new Set(pages.flatMap(({ shows }) => shows));
    expect(readdirSync(join(ROOT, 'docs/images')).filter((name) => !shown.has(`docs/images/${name}`))).toEqual([]);
  });

  test('says of every failure what to do', () => {
    const page = pages.find(({ name }) => name === 'troubleshooting.html')?.html ?? '';
    for (const code of FAILURE_CODES) expect(page).toContain(`<h2 id="${code.toLowerCase()}">${code}</h2>`);
  });
});

describe('what the documentation tells users to write', () => {
  test('as a profile is one', () => {
    const examples = blocks('docs/profiles.md', 'json');
    expect(examples.length).toBeGreaterThan(5);
    for (const text of examples) {
      const given: unknown = JSON.parse(text);
      const whole = { name: 'x', baseUrl: 'https://gateway.example/api', ...(given as object) };
      expect(profileSchema.safeParse(whole).error).toBeUndefined();
    }
  });

  test('as a command is one, with options that it has', () => {
    const program = buildProgram('', () => undefined);
    const lines = GUIDES.flatMap((path) => blocks(path, 'sh').flatMap((block) => block.split('\n')));
    const commands = lines.filter((line) => line.startsWith('nocturne '));
    expect(commands.length).toBeGreaterThan(8);
    for (const line of commands) {
      const [, name, ...rest] = line.replace(/ #.*$/u, '').trim().split(/\s+/u);
      const command = program.commands.find((one) => one.name() === name);
      const known = command?.options.map(({ long }) => long);
      for (const word of rest.filter((one) => one.startsWith('--'))) expect(known).toContain(word);
      expect(command).toBeDefined();
    }
  });
});

describe('what the documentation names for those who change the program', () => {
  const inside = ['src', 'test', 'scripts', 'resources'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  const files = [...inside, ...readdirSync(ROOT)].map((path) => `/${path.replaceAll('\\', '/')}`);

  test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('in %s: files that are there', (page) => {
    // In capitals is what a reader replaces.
    const named = [...read(page).matchAll(/`([a-z\d./-]+\.tsx?|[a-z\d./-]+\/[a-z\d-]+\.json)`/gu)].map(
      ([, name = '']) => name,
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !files.some((path) => path.endsWith(`/${name}`)))).toEqual([]);
  });
});
