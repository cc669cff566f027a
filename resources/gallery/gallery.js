/**
 * The page: which files and rows it shows. Tiles are made as they come near the screen, and a video
 * loads its file only there.
 */

/** @import { GalleryFile, GalleryRequest } from '../../src/engine/media-folder/documents/gallery/gallery-row.ts' */

/** @typedef {GalleryFile & { readonly row: GalleryRow, readonly asked: GalleryRequest }} ShownFile */

/** How many tiles are made at a time, and how many rows a group lists. */
const PAGE = 60;
const ROWS_LISTED = 500;

const KINDS = { image: 'Images', video: 'Video', music: 'Audio', data: 'Text' };

/**
 * Why a row without a failure has no file, and what to do.
 * @type {Readonly<Partial<Record<GalleryRow['status'], readonly [why: string, remedy: string]>>>}
 */
const EXPLAIN = {
  'submit-unknown': [
    'Nocturne does not know whether the gateway accepted it',
    'Decide in Nocturne: adopt its task code, resubmit it, or write it off.',
  ],
  draft: ['Changed, and not rendered since', 'Run the changed rows in Nocturne.'],
  invalid: ['Not sent: something is wrong with the row', 'Correct the row, then run it.'],
  skipped: ['Skipped in the sheet', 'Nothing to do.'],
  cancelled: ['Cancelled', 'Retry the row to render it.'],
};

/**
 * Every file; an earlier version goes by the request that it was made for.
 * @type {readonly ShownFile[]}
 */
const files = rows.flatMap((row) => row.files.map((file) => ({ ...file, row, asked: file.asked ?? row })));

/** @param {GalleryRequest} asked */
const wordsOf = ({ label, prompt, operation, fields }) => [label, prompt, operation, ...fields.map(([, text]) => text)];

/** What the search looks at, by row. */
const searched = new Map(
  rows.map((row) => {
    const ofFiles = row.files.flatMap(({ path, taskCode, text, asked }) => [
      `${path} ${taskCode} ${text}`,
      ...(asked === undefined ? [] : wordsOf(asked)),
    ]);
    return [row, [row.id, row.note, ...wordsOf(row), ...ofFiles].join('\n').toLowerCase()];
  }),
);

/**
 * What is said of files, and of which.
 * @type {Readonly<Record<string, readonly [word: string, colour: string, icon: string, isMeant: (file: GalleryFile) => boolean]>>}
 */
const SAID = {
  kept: ['Kept', '--done', STATUS.done[2], ({ kept }) => kept === true],
  rejected: ['Rejected', '--failed', CLOSE, ({ kept }) => kept === false],
  picked: ['Picked', '--lamp', STAR, ({ picked }) => picked === true],
  flagged: ['Flagged', '--invalid', STATUS.invalid[2], ({ flags }) => flags !== undefined],
};
const MOST_STARS = 5;

/** Search, operation, the least rating, and one status, one kind or one thing that is said; empty for all. */
const filter = { text: '', operation: '', rating: '', status: '', kind: '', said: '' };

/** @param {GalleryFile} file */
const filePasses = ({ kind, rating = -1 }) =>
  (filter.kind === '' || kind === filter.kind) && (filter.rating === '' || rating >= Number(filter.rating));

/** @param {GalleryRow} row */
const rowPasses = (row) =>
  (filter.status === '' || row.status === filter.status) &&
  (filter.operation === '' || row.operation === filter.operation) &&
  filter.text.split(/\s+/).every((word) => searched.get(row)?.includes(word));

/**
 * The files that pass the filter, of which the first have a tile.
 * @type {readonly ShownFile[]}
 */
let shown = [];
let made = 0;

const search = /** @type {HTMLInputElement} */ ($('search'));
const operation = /** @type {HTMLSelectElement} */ ($('operation'));

/**
 * A picture for a sound, of colours that follow from its path.
 * @param {ShownFile} file
 */
function cover({ path }) {
  let hash = 7;
  for (let at = 0; at < path.length; at += 1) hash = (hash * 31 + path.charCodeAt(at)) >>> 0;
  const art = make('span', { class: 'cover' });
  art.style.setProperty('--hue', String(hash % 360));
  return art;
}

const watcher = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const video = /** @type {HTMLVideoElement} */ (target);
      if (isIntersecting && !video.src) {
        video.src = `${video.dataset['src']}#t=0.1`;
        video.preload = 'metadata';
      } else if (!isIntersecting && video.src && video.paused) {
        video.removeAttribute('src');
        video.load();
      }
    }
  },
  { rootMargin: '500px' },
);

/** @param {ShownFile} file */
function stage(file) {
  switch (file.kind) {
    case 'image':
      return make('img', { src: file.url, alt: '', loading: 'lazy', decoding: 'async' });
    case 'video': {
      const look = { preload: 'none', muted: true, playsinline: true, loop: true };
      const video = make('video', { ...look, 'data-src': file.url });
      video.muted = true;
      watcher.observe(video);
      return video;
    }
    case 'music':
      return cover(file);
    case 'data':
      return make('div', { class: 'paper' }, file.text || 'A JSON document');
  }
}

/** @param {GalleryFile} file */
const stars = ({ rating = 0 }) => '★'.repeat(Math.min(rating, MOST_STARS));

/**
 * What is said of a file, small; undefined if nothing is.
 * @param {ShownFile} file
 */
function marks(file) {
  const found = Object.values(SAID).filter(([, , , isMeant]) => isMeant(file));
  if (found.length === 0 && file.rating === undefined) return undefined;
  const icons = found.map(([word, colour, shape]) => {
    const mark = make('span', { title: word }, icon(shape), make('span', { class: 'hidden' }, word));
    mark.style.setProperty('--tone', `var(${colour})`);
    return mark;
  });
  const rated = file.rating === undefined ? undefined : make('span', { class: 'stars' }, stars(file) || '0');
  return make('span', { class: 'marks' }, ...icons, rated);
}

/** @param {ShownFile} file */
function caption({ row, asked, earlier, take, index }) {
  const others = row.files.filter((other) => other.earlier === earlier);
  const parts = [row.id, asked.operation];
  if (earlier) parts.push('earlier version');
  if (others.some((other) => other.take !== take)) parts.push(`take ${take}`);
  if (others.some((other) => other.take === take && other.index !== index)) parts.push(`file ${index}`);
  return parts.join(' · ');
}

/**
 * @param {ShownFile} file
 * @param {number} at Its place among those that are shown.
 */
function tile(file, at) {
  const { label } = file.asked;
  const content = stage(file);
  const box = make(
    'div',
    { class: 'stage' },
    content,
    make('button', { class: 'open', type: 'button', 'aria-label': `Open ${label}`, onclick: () => view(at) }),
    make('span', { class: 'kind', 'aria-hidden': 'true' }, file.path.split('.').pop()?.toUpperCase()),
    marks(file),
  );
  if (file.kind === 'music') box.append(playerButton(`Play ${label}`, PLAY, () => toggle(file), 'play'));
  const words = make(
    'div',
    { class: 'words' },
    make('h3', { title: label, dir: 'auto' }, label),
    make('p', { title: file.path }, caption(file)),
  );
  const look = `tile${file.earlier ? ' earlier' : ''}${file.kept === false ? ' rejected' : ''}`;
  const article = make('article', { class: look, 'data-path': file.path }, box, words);
  if (content instanceof HTMLVideoElement) {
    article.addEventListener('pointerenter', () => {
      content.play().catch(() => undefined);
    });
    article.addEventListener('pointerleave', () => content.pause());
  }
  return article;
}

function more() {
  const next = shown.slice(made, made + PAGE).map((file, index) => tile(file, made + index));
  made += next.length;
  $('files').append(...next);
  markPlaying();
}

new IntersectionObserver(
  (entries) => {
    if (entries.some((entry) => entry.isIntersecting) && made < shown.length) more();
  },
  { rootMargin: '1200px' },
).observe($('more'));

/**
 * Why a row has no file, and what to do.
 * @param {GalleryRow} row
 * @returns {readonly [why: string, remedy: string]}
 */
function reason({ failure, status }) {
  if (failure !== undefined) return [failure.title, failure.remedy];
  return EXPLAIN[status] ?? [STATUS[status][0], 'It was still on its way when this page was written.'];
}

/** @typedef {{ readonly title: string, readonly remedy: string, readonly status: GalleryRow['status'], readonly rows: GalleryRow[] }} Group */

/** Shows the rows without a file, in groups. */
function exceptions() {
  /** @type {Map<string, Group>} */
  const groups = new Map();
  for (const row of rows) {
    if (row.status === 'done' || !rowPasses(row) || filter.kind + filter.said + filter.rating !== '') continue;
    const [title, remedy] = reason(row);
    const key = row.status + title;
    const group = groups.get(key) ?? { title, remedy, status: row.status, rows: [] };
    group.rows.push(row);
    groups.set(key, group);
  }
  const list = [...groups.values()].sort((a, b) => b.rows.length - a.rows.length);
  const count = list.reduce((sum, group) => sum + group.rows.length, 0);
  $('exceptions').hidden = count === 0;
  $('exceptions-title').textContent = `${plural(count, 'row')} without a verified file`;
  $('exception-groups').replaceChildren(...list.map((group) => groupOf(group, list.length <= 3)));
}

/**
 * @param {Group} group
 * @param {boolean} isOneOfFew
 */
function groupOf({ title, remedy, status, rows: own }, isOneOfFew) {
  const [name, colour, shape] = STATUS[status];
  const mark = make('span', { class: 'status', title: name }, icon(shape), make('span', { class: 'hidden' }, name));
  mark.style.setProperty('--tone', `var(${colour})`);
  const items = own
    .slice(0, ROWS_LISTED)
    .map(({ id, operation, label, failure }) =>
      make(
        'li',
        {},
        make('p', { class: 'id' }, `${id} · ${operation}`),
        make('p', { dir: 'auto' }, label),
        failure?.message ? make('p', { class: 'why', dir: 'auto' }, failure.message) : undefined,
      ),
    );
  const left = own.length - ROWS_LISTED;
  if (left > 0) items.push(make('li', {}, make('p', {}, `and ${plural(left, 'more row')}`)));
  const number = make('span', { class: 'number' }, plural(own.length, 'row'));
  return make(
    'details',
    { class: 'group', open: isOneOfFew && own.length <= 12 },
    make('summary', {}, mark, make('b', {}, title), number, make('em', {}, remedy)),
    make('ul', {}, ...items),
  );
}

/** Shows what passes the filter. */
function refresh() {
  const isMeant = SAID[filter.said]?.[3] ?? (() => true);
  shown = files.filter((file) => filePasses(file) && isMeant(file) && rowPasses(file.row));
  made = 0;
  watcher.disconnect();
  $('files').replaceChildren();
  more();
  exceptions();
  const all = plural(files.length, 'file');
  $('empty').hidden = shown.length > 0;
  $('empty').textContent =
    files.length === 0
      ? 'No file has been verified yet.'
      : 'No file matches. Clear the search or choose another status.';
  $('count').textContent = `${plural(shown.length, 'file')} shown`;
  $('files-title').textContent = shown.length === files.length ? all : `${shown.length.toLocaleString()} of ${all}`;
  for (const chip of $('chips').querySelectorAll('button')) {
    const { status, kind, said } = chip.dataset;
    const isOn = status === filter.status && kind === filter.kind && said === filter.said;
    chip.setAttribute('aria-pressed', String(isOn));
  }
}

/**
 * A button that shows one status, one kind or one thing that is said alone, or all again.
 * @param {string} word
 * @param {number} count
 * @param {{ readonly status?: string, readonly kind?: string, readonly said?: string, readonly look?: readonly [string, string, string, ...unknown[]] }} of
 */
function chip(word, count, { status = '', kind = '', said = '', look }) {
  const button = make(
    'button',
    {
      class: 'chip',
      type: 'button',
      'data-status': status,
      'data-kind': kind,
      'data-said': said,
      onclick: () => {
        const isOn = filter.status === status && filter.kind === kind && filter.said === said;
        Object.assign(filter, isOn ? { status: '', kind: '', said: '' } : { status, kind, said });
        refresh();
      },
    },
    look && icon(look[2]),
    word,
    make('b', {}, count.toLocaleString()),
  );
  if (look) button.style.setProperty('--tone', `var(${look[1]})`);
  return button;
}

function chips() {
  $('chips').append(chip('Everything', rows.length, {}));
  for (const [status, look] of Object.entries(STATUS)) {
    const count = rows.filter((row) => row.status === status).length;
    if (count > 0) $('chips').append(chip(look[0], count, { status, look }));
  }
  const things = Object.entries(SAID)
    .map(([said, look]) => ({ said, look, count: files.filter(look[3]).length }))
    .filter(({ count }) => count > 0);
  if (things.length > 0) $('chips').append(make('span', { class: 'gap', 'aria-hidden': 'true' }));
  for (const { said, look, count } of things) $('chips').append(chip(look[0], count, { said, look }));
  const kinds = Object.entries(KINDS)
    .map(([kind, word]) => ({ kind, word, count: files.filter((file) => file.kind === kind).length }))
    .filter(({ count }) => count > 0);
  if (kinds.length < 2) return;
  $('chips').append(make('span', { class: 'gap', 'aria-hidden': 'true' }));
  for (const { kind, word, count } of kinds) $('chips').append(chip(word, count, { kind }));
}

const SUN =
  'M8 4.6a3.4 3.4 0 1 1 0 6.8 3.4 3.4 0 0 1 0-6.8Z M8 .9v1.3 M8 13.8v1.3 M.9 8h1.3 M13.8 8h1.3 M3 3l.9.9 M12.1 12.1l.9.9 M13 3l-.9.9 M3.9 12.1 3 13';
const MOON = 'M13.6 9.6A6 6 0 0 1 6.4 2.4a6 6 0 1 0 7.2 7.2Z';

/** @param {'light' | 'dark'} name */
function theme(name) {
  document.documentElement.dataset['theme'] = name;
  $('theme').replaceChildren(icon(name === 'dark' ? SUN : MOON));
}

// Dark by default, light if the reader's system or the button says so.
theme(matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark');
$('theme').addEventListener('click', () =>
  theme(document.documentElement.dataset['theme'] === 'dark' ? 'light' : 'dark'),
);

const written = new Date(batch.createdAt).toLocaleString(undefined, { dateStyle: 'long', timeStyle: 'short' });
const total = sizeText(files.reduce((sum, file) => sum + file.bytes, 0));
$('summary').textContent = [plural(rows.length, 'row'), plural(files.length, 'file'), total, written].join(' · ');

for (const title of [...new Set(rows.map((row) => row.operation))].sort()) {
  operation.append(make('option', { value: title }, title));
}
operation.addEventListener('change', () => {
  filter.operation = operation.value;
  refresh();
});

const rating = /** @type {HTMLSelectElement} */ ($('rating'));
rating.hidden = files.every((file) => file.rating === undefined);
for (let least = 1; least <= MOST_STARS; least += 1) {
  const words = least === MOST_STARS ? '★'.repeat(least) : `${'★'.repeat(least)} and more`;
  rating.append(make('option', { value: String(least) }, words));
}
rating.addEventListener('change', () => {
  filter.rating = rating.value;
  refresh();
});

/** @type {ReturnType<typeof setTimeout> | undefined} */
let pending;
search.addEventListener('input', () => {
  clearTimeout(pending);
  pending = setTimeout(() => {
    filter.text = search.value.trim().toLowerCase();
    refresh();
  }, 120);
});

chips();
refresh();
