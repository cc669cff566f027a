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
 * Every file; an earlier version is listed with the request that it was made for.
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
 * What the user says about files, and which files each word applies to.
 * @type {Readonly<Record<string, readonly [word: string, colour: string, icon: string, isMeant: (file: GalleryFile) => boolean]>>}
 */
const SAID = {
  kept: ['Kept', '--done', STATUS.done[2], ({ kept }) => kept === true],
  rejected: ['Rejected', '--failed', CLOSE, ({ kept }) => kept === false],
  picked: ['Picked', '--lamp', STAR, ({ picked }) => picked === true],
};
/** @type {(typeof SAID)[string]} */
const FLAG = ['Flagged', '--invalid', STATUS.invalid[2], ({ flags }) => flags !== undefined];
const MOST_STARS = 5;

/** Not the title of any gate. */
const ANY_GATE = '*';

/** Search, operation, the least rating, a gate, and one status, one kind or one verdict; empty for all. */
const filter = { text: '', operation: '', rating: '', gate: '', status: '', kind: '', said: '' };

/** @param {GalleryFile} file */
const filePasses = ({ kind, rating = -1, flags = [] }) =>
  (filter.kind === '' || kind === filter.kind) &&
  (filter.rating === '' || rating >= Number(filter.rating)) &&
  (filter.gate === '' || flags.some(([gate]) => filter.gate === ANY_GATE || gate === filter.gate));

/** @param {GalleryRow} row */
const rowPasses = (row) =>
  (filter.status === '' || row.status === filter.status) &&
  (filter.operation === '' || row.operation === filter.operation) &&
  filter.text.split(/\s+/).every((word) => searched.get(row)?.includes(word));

/**
 * The files that pass the filter; the first of them have a tile.
 * @type {readonly ShownFile[]}
 */
let shown = [];
let made = 0;

const search = /** @type {HTMLInputElement} */ ($('search'));
const operation = /** @type {HTMLSelectElement} */ ($('operation'));

function more() {
  const next = shown.slice(made, made + PAGE).map((file, index) => tile(file, made + index));
  made += next.length;
  $('files').append(...next);
  markPlaying();
}

const NEAR = 1200;
/** A user who has gone to the end stays there: new tiles would push it away. */
let isAtEnd = false;

function moreIfNear() {
  const isNear = $('more').getBoundingClientRect().top < innerHeight + NEAR;
  if (isNear && !isAtEnd && made < shown.length) more();
}

new IntersectionObserver(moreIfNear, { rootMargin: `${NEAR}px` }).observe($('more'));

$('to-exceptions').addEventListener('click', (event) => {
  event.preventDefault();
  isAtEnd = true;
  $('exceptions').scrollIntoView();
  $('exceptions-title').focus({ preventScroll: true });
});

addEventListener('scroll', () => {
  if (!isAtEnd || $('exceptions').getBoundingClientRect().top < innerHeight) return;
  isAtEnd = false;
  moreIfNear();
});

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

/** Shows the rows without a file, in groups, and returns how many there are. */
function exceptions() {
  /** @type {Map<string, Group>} */
  const groups = new Map();
  for (const row of rows) {
    if (row.status === 'done' || !rowPasses(row) || filter.kind + filter.said + filter.rating + filter.gate !== '')
      continue;
    const [title, remedy] = reason(row);
    const key = row.status + title;
    const group = groups.get(key) ?? { title, remedy, status: row.status, rows: [] };
    group.rows.push(row);
    groups.set(key, group);
  }
  const list = [...groups.values()].sort((a, b) => b.rows.length - a.rows.length);
  const count = list.reduce((sum, group) => sum + group.rows.length, 0);
  $('exceptions').hidden = count === 0;
  const words = `${plural(count, 'row')} without a verified file`;
  $('exceptions-title').textContent = words;
  $('exceptions-link').hidden = count === 0 || shown.length === 0;
  $('to-exceptions').textContent = words;
  // A user who filters by a status wants to see these rows.
  $('exception-groups').replaceChildren(...list.map((group) => groupOf(group, filter.status !== '')));
  return count;
}

/**
 * @param {Group} group
 * @param {boolean} isOpen
 */
function groupOf({ title, remedy, status, rows: own }, isOpen) {
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
    { class: 'group', open: isOpen },
    make('summary', {}, mark, make('b', {}, title), number, make('em', {}, remedy)),
    make('ul', {}, ...items),
  );
}

/** Shows what passes the filter. */
function refresh() {
  const isMeant = SAID[filter.said]?.[3] ?? (() => true);
  shown = files.filter((file) => filePasses(file) && isMeant(file) && rowPasses(file.row));
  made = 0;
  isAtEnd = false;
  watcher.disconnect();
  $('files').replaceChildren();
  more();
  const without = exceptions();
  const all = plural(files.length, 'file');
  $('empty').hidden = shown.length > 0 || (without > 0 && filter.status !== '');
  $('empty').textContent =
    files.length === 0
      ? 'No file has been verified yet.'
      : 'No file matches. Clear the search or choose another status.';
  $('count').textContent = `${plural(shown.length, 'file')} shown`;
  $('files-title').textContent =
    shown.length === files.length ? all : `${shown.length.toLocaleString(LOCALE)} of ${all}`;
  for (const chip of $('chips').querySelectorAll('button')) {
    const { status, kind, said } = chip.dataset;
    const isOn = status === filter.status && kind === filter.kind && said === filter.said;
    chip.setAttribute('aria-pressed', String(isOn));
  }
}

/**
 * A button that shows only one status, one kind or one verdict, or everything again.
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
    make('b', {}, count.toLocaleString(LOCALE)),
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

const written = new Date(batch.createdAt).toLocaleString(LOCALE, { dateStyle: 'long', timeStyle: 'short' });
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
$('by-rating').hidden = files.every((file) => file.rating === undefined);
for (let least = 1; least <= MOST_STARS; least += 1) {
  const words = least === MOST_STARS ? '★'.repeat(least) : `${'★'.repeat(least)} and more`;
  rating.append(make('option', { value: String(least) }, words));
}
rating.addEventListener('change', () => {
  filter.rating = rating.value;
  refresh();
});

const flagged = /** @type {HTMLSelectElement} */ ($('flagged'));
/** @type {Map<string, number>} */
const flaggedFor = new Map();
for (const { flags = [] } of files)
  for (const gate of new Set(flags.map(([title]) => title))) flaggedFor.set(gate, (flaggedFor.get(gate) ?? 0) + 1);
$('by-gate').hidden = flaggedFor.size === 0;
/**
 * @param {string} value
 * @param {string} words
 * @param {number} count
 */
const gateOption = (value, words, count) => make('option', { value }, `${words} (${count.toLocaleString(LOCALE)})`);
flagged.append(gateOption(ANY_GATE, 'Flagged by any gate', files.filter(({ flags }) => flags !== undefined).length));
for (const [gate, count] of [...flaggedFor].sort(([a], [b]) => a.localeCompare(b))) {
  flagged.append(gateOption(gate, gate, count));
}
flagged.addEventListener('change', () => {
  filter.gate = flagged.value;
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
