/**
 * What must hold for every screen and dialog, whatever it shows: nothing unusable with a screen reader, the keyboard or
 * weak eyes, by the rules of axe in both themes; nothing outside the window at any size; nothing in the console.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import axeCore from 'axe-core';
import { CATALOGUES } from '../../src/shared/words/catalogues.ts';
import { ENGLISH } from '../../src/shared/words/words.ts';
import { type Language } from '../../src/shared/words/domain-words.ts';
import { REPOSITORY, type Launched } from './launch.ts';

const { source: AXE } = axeCore;
/** Takes pictures of everything that is examined, for people to look at: that takes a quarter of the time. */
const TAKES_PICTURES = process.env['PICTURES'] === '1';
const PICTURES = join(REPOSITORY, 'test-results', 'screens');
/** Messages of several words: a single one may be a name. */
const CHINESE_PHRASES = new Set(phrasesOf(CATALOGUES['zh-Hans']));
/** The first gateway keeps the name that it got in the language of the first start. */
const { firstName: KEPT_NAME } = ENGLISH.settings.gateways;
const ENGLISH_PHRASES = [...new Set(phrasesOf(ENGLISH))].filter(
  (phrase) => phrase !== KEPT_NAME && !CHINESE_PHRASES.has(phrase),
);
const THEMES = ['light', 'dark'] as const;
/** The usual window, which is there already, the smallest possible one, a large screen, and the usual one for weak eyes. */
const SIZES = [
  { width: 1280, height: 800, zoom: 1 },
  { width: 900, height: 600, zoom: 1 },
  { width: 1920, height: 1080, zoom: 1 },
  { width: 1280, height: 800, zoom: 2 },
] as const;
type Size = (typeof SIZES)[number];
const [USUAL] = SIZES;

interface Found {
  readonly rule: string;
  readonly nodes: readonly string[];
}

declare global {
  interface Window {
    readonly axe: {
      run(
        context: Document,
        options: { readonly runOnly?: readonly string[]; readonly resultTypes: readonly string[] },
      ): Promise<{
        readonly violations: readonly {
          readonly id: string;
          readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
        }[];
      }>;
    };
  }
}

/** Examines what the window shows while a test walks through it. */
export class Examiner {
  /** What was found, by screen. */
  readonly found: string[] = [];
  readonly #launched: Launched;
  readonly #language: Language;
  readonly #names: readonly string[];

  /** `names`: what the user has called things, which screens show among their own words. */
  constructor(launched: Launched, language: Language, names: readonly string[]) {
    this.#names = names;
    this.#launched = launched;
    this.#language = language;
    launched.page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        this.found.push(`console: ${message.text()} (${message.location().url})`);
    });
    launched.page.on('pageerror', (error) => this.found.push(`exception: ${error.message}`));
  }

  /** `name`: what is shown, for the file of its picture. */
  async look(name: string): Promise<void> {
    const { page } = this.#launched;
    for (const theme of THEMES) {
      await page.evaluate((scheme) => {
        document.documentElement.style.colorScheme = scheme;
      }, theme);
      await drawn(page);
      // Themes differ in their colours only.
      const rules = await axe(page, theme === 'light' ? undefined : ['color-contrast']);
      for (const { rule, nodes } of rules) this.found.push(`${name}, ${theme}: ${rule}\n    ${nodes.join('\n    ')}`);
      if (theme === 'dark') await this.#photograph(`${name}-dark`);
    }
    await page.evaluate(() => {
      document.documentElement.style.colorScheme = 'light';
    });
    if (this.#language !== 'en')
      for (const text of await english(page, this.#names)) this.found.push(`${name}: says “${text}”`);
    for (const size of SIZES) {
      const sizeName = size.zoom === 1 ? size.width : `${size.width}-zoomed`;
      await setSize(this.#launched, size);
      for (const cut of await cutOff(page)) this.found.push(`${name}, ${sizeName}: ${cut}`);
      await this.#photograph(`${name}-${sizeName}`);
    }
    await setSize(this.#launched, USUAL);
  }

  /** Photographs through the window itself: Playwright captures only a part of a zoomed one. */
  async #photograph(name: string): Promise<void> {
    if (!TAKES_PICTURES) return;
    const png = await this.#launched.app.evaluate(async ({ BrowserWindow }) => {
      const picture = await BrowserWindow.getAllWindows()[0]?.webContents.capturePage();
      return picture?.toPNG().toString('base64') ?? '';
    });
    const folder = join(PICTURES, this.#language);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.png`), Buffer.from(png, 'base64'));
  }
}

function phrasesOf(messages: object): readonly string[] {
  return Object.values(messages).flatMap((message: unknown) => {
    if (typeof message === 'object' && message !== null) return phrasesOf(message);
    return typeof message === 'string' && /^[A-Z][a-z]+ [a-z]{2,}/u.test(message) ? message : [];
  });
}

async function setSize({ app, page }: Launched, size: Size): Promise<void> {
  await app.evaluate(({ BrowserWindow }, { width, height, zoom }) => {
    const [window] = BrowserWindow.getAllWindows();
    window?.setContentSize(width, height);
    window?.webContents.setZoomFactor(zoom);
  }, size);
  const { width, height, zoom } = size;
  // Looks at each frame.
  await page.waitForFunction(([wide, high]) => window.innerWidth === wide && window.innerHeight === high, [
    width / zoom,
    height / zoom,
  ] as const);
  await drawn(page);
}

/** Resolves when two frames have been drawn: the grid draws itself one frame after the page. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      }),
  );
  // What is fading in does not look yet as it should.
  await page.evaluate(() => {
    for (const animation of document.getAnimations())
      if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();
  });
}

async function axe(page: Page, runOnly: readonly string[] | undefined): Promise<readonly Found[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  return page.evaluate(async (rules) => {
    // Of everything else, one example each is enough.
    const options = { resultTypes: ['violations'], ...(rules !== undefined && { runOnly: rules }) };
    const { violations } = await window.axe.run(document, options);
    return violations.flatMap(({ id, nodes }) => {
      // A menu belongs to what has opened it, but is at the end of the page.
      const own = nodes.filter(({ target }) => id !== 'region' || !target.join(' ').includes('data-radix-popper'));
      const words = own.map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary}`);
      return words.length === 0 ? [] : [{ rule: id, nodes: words.map((text) => text.replaceAll(/\s+/gu, ' ')) }];
    });
  }, runOnly);
}

/** Buttons and fields that are outside the window and cannot be scrolled into it, and a page that scrolls sideways. */
function cutOff(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth} px wide in a window of ${clientWidth} px`);
    const scrolls = (element: Element | null): boolean => {
      for (let one = element; one !== null; one = one.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(one);
        if (/auto|scroll/u.test(`${overflowX} ${overflowY}`)) return true;
      }
      return false;
    };
    for (const element of document.querySelectorAll('button, input, select, textarea, [role="tab"], a[href]')) {
      const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
      if (width === 0 || height === 0 || !element.checkVisibility() || scrolls(element.parentElement)) continue;
      if (left < -1 || right > window.innerWidth + 1 || top < -1 || bottom > window.innerHeight + 1) {
        const name = element.getAttribute('aria-label') ?? element.textContent;
        found.push(`${name} lies at ${Math.round(left)}, ${Math.round(top)} and is cut off`);
      }
    }
    return found;
  });
}

/**
 * English in the page's own words: three words in a row in a text without Chinese, words of an English sentence or a
 * Latin full stop in one with Chinese, or a message of the English catalogue in any text. What users wrote, such as
 * cells and prompts, is marked where it is shown (`translate="no"`).
 */
function english(page: Page, names: readonly string[]): Promise<readonly string[]> {
  return page.evaluate(
    ({ messages, names }) => {
      const found = new Set<string>();
      const look = (text: string | null, isOwn: boolean): void => {
        if (text === null || names.includes(text.trim())) return;
        const isChinese = /\p{Script=Han}/u.test(text);
        const isForeign = !isChinese && /[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}/u.test(text);
        // What a Chinese sentence quotes may be a user's words; a title may have theirs beside ours.
        const said = isChinese && isOwn ? text.replaceAll(/“[^”]*”/gu, '') : '';
        const isGlued = /\b(?:is|are|was|has|cannot|could not|it|the) [a-z]{2,}/u.test(said);
        const isMixed = /[\p{Script=Han}）]\.(?:\s|$)/u.test(said);
        if (isForeign || isGlued || isMixed || messages.some((message) => text.includes(message)))
          found.add(text.trim().slice(0, 120));
      };
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
      for (let node: Node | null = walker.currentNode; node !== null; node = walker.nextNode()) {
        const element = node instanceof Element ? node : node.parentElement;
        if (element === null || element.closest('[translate="no"], code, pre, canvas, script, style') !== null)
          continue;
        if (!(node instanceof Element)) look(node.textContent, true);
        else for (const name of ['aria-label', 'title', 'placeholder', 'alt']) look(node.getAttribute(name), false);
      }
      return [...found];
    },
    { messages: ENGLISH_PHRASES, names },
  );
}
