/** What the page is put together from: its elements, its icons, its words for numbers. */

/** @import { GalleryBatch, GalleryRow, GallerySound, GallerySung } from '../../src/engine/media-folder/documents/gallery/gallery-row.ts' */

/**
 * An element of the page by its id.
 * @param {string} id
 */
function $(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no ${id}.`);
  return found;
}

/**
 * Data of the page by its id.
 * @param {string} id
 * @returns {unknown}
 */
const read = (id) => JSON.parse($(id).textContent ?? '');

const rows = /** @type {readonly GalleryRow[]} */ (read('rows'));
const batch = /** @type {GalleryBatch} */ (read('batch'));

/**
 * An element with attributes, listeners (`onclick`) and children. Texts of the batch become text nodes, never markup.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Readonly<Record<string, string | boolean | undefined | ((event: Event) => void)>>} attributes
 * @param {(Node | string | undefined)[]} children
 */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

/**
 * An icon from its path: a line in a box of 16, or a filled shape in one of 24.
 * @param {string} path
 */
function icon(path, isFilled = false) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', isFilled ? '0 0 24 24' : '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  if (!isFilled) svg.setAttribute('class', 'line');
  const shape = document.createElementNS(SVG, 'path');
  shape.setAttribute('d', path);
  svg.append(shape);
  return svg;
}

const CLOSE = 'M4 4l8 8 M12 4l-8 8';
const STAR = 'M8 1.9l1.9 3.9 4.2.6-3 3 .7 4.2L8 11.6l-3.8 2 .7-4.2-3-3 4.2-.6Z';
const RING = 'M8 1.9a6.1 6.1 0 1 1 0 12.2A6.1 6.1 0 0 1 8 1.9Z';

/**
 * How a status is shown: its name, the variable of its colour, its icon.
 * @type {Readonly<Record<GalleryRow['status'], readonly [name: string, colour: string, icon: string]>>}
 */
const STATUS = {
  done: ['Done', '--done', 'M2.8 8.6 6.3 12l6.9-7.6'],
  failed: ['Failed', '--failed', CLOSE],
  'submit-unknown': ['Unknown', '--unknown', 'M5.2 5.7a2.8 2.8 0 1 1 4.3 2.4c-1 .6-1.5 1.1-1.5 2.1 M8 13.1v.05'],
  queued: ['Queued', '--still', `${RING} M8 4.9V8l2.1 1.6`],
  submitting: ['Submitting', '--work', 'M8 13.2V3.4 M3.9 7.4 8 3.3l4.1 4.1'],
  rendering: ['Rendering', '--work', 'M2.6 6.7v2.6 M6.2 3.4v9.2 M9.8 5.3v5.4 M13.4 6.9v2.2'],
  downloading: ['Downloading', '--work', 'M8 2.4v7.2 M4.5 6.3 8 9.8l3.5-3.5 M2.9 13.4h10.2'],
  cancelled: ['Cancelled', '--still', `${RING} M3.8 12.2l8.4-8.4`],
  draft: ['Draft', '--still', 'M3 13l.8-3.2L10.9 2.7l2.4 2.4-7.1 7.1L3 13Z'],
  invalid: ['Invalid', '--invalid', 'M8 2.2 14.3 13.3H1.7L8 2.2Z M8 6.5v3.1 M8 11.4v.05'],
  skipped: ['Skipped', '--still', 'M3.6 3.8 9.4 8l-5.8 4.2V3.8Z M12.4 3.8v8.4'],
};

/** Numbers and dates are written in the page's language, as its reader's country does where that speaks it. */
const LOCALE = /^en\b/u.test(navigator.language) ? navigator.language : 'en';

/**
 * @param {number} count
 * @param {string} word
 */
const plural = (count, word) => `${count.toLocaleString(LOCALE)} ${word}${count === 1 ? '' : 's'}`;

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** @param {number} bytes */
function sizeText(bytes) {
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${UNITS[unit]}`;
}

/** @param {number} seconds */
function clockText(seconds) {
  if (!Number.isFinite(seconds)) return '–:––';
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
}
