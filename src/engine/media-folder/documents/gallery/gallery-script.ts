import { GALLERY_PLAYER_SCRIPT } from './gallery-player-script.ts';

/**
 * The gallery's script, as text: the page stands alone, and its policy runs only this script. Texts of the batch become
 * text nodes, never markup. Tiles are made as they come near the screen, and a video loads its file only there.
 */
export const GALLERY_SCRIPT = String.raw`
'use strict';
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const rows = read('rows');
  const batch = read('batch');
  const $ = (id) => document.getElementById(id);
  const PAGE = 60;

  const SVG = 'http://www.w3.org/2000/svg';
  function icon(path, filled) {
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', filled ? '0 0 24 24' : '0 0 16 16');
    svg.setAttribute('aria-hidden', 'true');
    if (!filled) svg.setAttribute('class', 'line');
    const shape = document.createElementNS(SVG, 'path');
    shape.setAttribute('d', path);
    svg.append(shape);
    return svg;
  }
  const PLAY = 'M7 4.5v15a1 1 0 0 0 1.53.85l12-7.5a1 1 0 0 0 0-1.7l-12-7.5A1 1 0 0 0 7 4.5Z';
  const PAUSE = 'M6 4h4v16H6zM14 4h4v16h-4z';
  const NEXT = 'M5 5v14l10-7zM16 5h3v14h-3z';
  const BACK = 'M19 5v14L9 12zM5 5h3v14H5z';
  const RING = 'M8 1.9a6.1 6.1 0 1 1 0 12.2A6.1 6.1 0 0 1 8 1.9Z';
  const STATUS = {
    done: ['Done', '--done', 'M2.8 8.6 6.3 12l6.9-7.6'],
    failed: ['Failed', '--failed', 'M4 4l8 8 M12 4l-8 8'],
    'submit-unknown': ['Unknown', '--unknown', 'M5.2 5.7a2.8 2.8 0 1 1 4.3 2.4c-1 .6-1.5 1.1-1.5 2.1 M8 13.1v.05'],
    queued: ['Queued', '--still', RING + ' M8 4.9V8l2.1 1.6'],
    submitting: ['Submitting', '--work', 'M8 13.2V3.4 M3.9 7.4 8 3.3l4.1 4.1'],
    rendering: ['Rendering', '--work', 'M2.6 6.7v2.6 M6.2 3.4v9.2 M9.8 5.3v5.4 M13.4 6.9v2.2'],
    downloading: ['Downloading', '--work', 'M8 2.4v7.2 M4.5 6.3 8 9.8l3.5-3.5 M2.9 13.4h10.2'],
    cancelled: ['Cancelled', '--still', RING + ' M3.8 12.2l8.4-8.4'],
    draft: ['Draft', '--still', 'M3 13l.8-3.2L10.9 2.7l2.4 2.4-7.1 7.1L3 13Z'],
    invalid: ['Invalid', '--invalid', 'M8 2.2 14.3 13.3H1.7L8 2.2Z M8 6.5v3.1 M8 11.4v.05'],
    skipped: ['Skipped', '--still', 'M3.6 3.8 9.4 8l-5.8 4.2V3.8Z M12.4 3.8v8.4'],
  };
  const KINDS = { image: 'Images', video: 'Video', music: 'Audio', data: 'Text' };
  const EXPLAIN = {
    'submit-unknown': ['Nocturne does not know whether the gateway accepted it', 'Decide in Nocturne: adopt its task code, resubmit it, or write it off.'],
    draft: ['Changed, and not rendered since', 'Run the changed rows in Nocturne.'],
    invalid: ['Something in the sheet keeps it from running', 'Correct the row in the sheet and import it again.'],
    skipped: ['Skipped in the sheet', 'Nothing to do.'],
    cancelled: ['Cancelled', 'Retry the row to render it.'],
  };

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name === 'class') element.className = value;
      else if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
      else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
    }
    element.append(...children.filter((child) => child !== undefined && child !== ''));
    return element;
  }
  const plural = (count, word) => count.toLocaleString() + ' ' + word + (count === 1 ? '' : 's');
  function size(bytes) {
    const units = ['B', 'kB', 'MB', 'GB', 'TB'];
    let unit = 0;
    while (bytes >= 1000 && unit < units.length - 1) { bytes /= 1000; unit += 1; }
    return (unit === 0 || bytes >= 100 ? Math.round(bytes) : bytes.toFixed(1)) + ' ' + units[unit];
  }
  function hue(text) {
    let hash = 7;
    for (let at = 0; at < text.length; at += 1) hash = (hash * 31 + text.charCodeAt(at)) >>> 0;
    return hash;
  }

  /* An earlier version goes by the request that it was made for. */
  const files = rows.flatMap((row) => row.files.map((file) => ({ ...file, row, asked: file.asked || row })));
  const wordsOf = (asked) => [asked.label, asked.prompt, asked.operation, ...asked.fields.map((field) => field[1])].join('\n');
  for (const row of rows) {
    row.text = [row.id, row.note, wordsOf(row), ...row.files.map((file) => file.path + ' ' + file.taskCode + ' ' + file.text + (file.asked ? ' ' + wordsOf(file.asked) : ''))].join('\n').toLowerCase();
  }

  /* The filters: search, operation, one status or one kind. */
  const filter = { text: '', operation: '', status: '', kind: '' };
  const rowPasses = (row) =>
    (filter.status === '' || row.status === filter.status) &&
    (filter.operation === '' || row.operation === filter.operation) &&
    filter.text.split(/\s+/).every((word) => row.text.includes(word));

  let shown = [];
  let made = 0;

  function cover(file) {
    const seed = hue(file.path);
    const art = make('span', { class: 'cover' });
    art.style.setProperty('--hue', String(seed % 360));
    return art;
  }

  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const video = entry.target;
      if (entry.isIntersecting && !video.src) { video.src = video.dataset.src + '#t=0.1'; video.preload = 'metadata'; }
      else if (!entry.isIntersecting && video.src && video.paused) { video.removeAttribute('src'); video.load(); }
    }
  }, { rootMargin: '500px' });

  function stage(file) {
    if (file.kind === 'image') return [make('img', { src: file.url, alt: '', loading: 'lazy', decoding: 'async' })];
    if (file.kind === 'video') {
      const video = make('video', { preload: 'none', muted: true, playsinline: true, loop: true, 'data-src': file.url });
      video.muted = true;
      watcher.observe(video);
      return [video];
    }
    if (file.kind === 'music') return [cover(file)];
    return [make('div', { class: 'paper' }, file.text || 'A JSON document')];
  }

  function caption(file) {
    const parts = [file.row.id, file.asked.operation];
    if (file.earlier) parts.push('earlier version');
    if (file.row.files.some((other) => other.take !== file.take && !other.earlier === !file.earlier)) parts.push('take ' + file.take);
    if (file.row.files.some((other) => other.take === file.take && other.index !== file.index && !other.earlier === !file.earlier)) parts.push('file ' + file.index);
    return parts.join(' · ');
  }

  function tile(file, at) {
    const open = make('button', { class: 'open', type: 'button', 'aria-label': 'Open ' + file.asked.label, onclick: () => view(at) });
    const box = make('div', { class: 'stage' }, ...stage(file), open);
    box.append(make('span', { class: 'kind', 'aria-hidden': 'true' }, file.path.split('.').pop().toUpperCase()));
    if (file.kind === 'music') {
      box.append(make('button', { class: 'play', type: 'button', 'aria-label': 'Play ' + file.asked.label, onclick: () => toggle(file) }, icon(PLAY, true)));
    }
    const article = make('article', { class: file.earlier ? 'tile earlier' : 'tile' }, box, make('div', { class: 'words' },
      make('h3', { title: file.asked.label, dir: 'auto' }, file.asked.label), make('p', { title: file.path }, caption(file))));
    article.dataset.path = file.path;
    if (file.kind === 'video') {
      const video = box.querySelector('video');
      article.addEventListener('pointerenter', () => { video.play().catch(() => undefined); });
      article.addEventListener('pointerleave', () => video.pause());
    }
    return article;
  }

  function more() {
    const end = Math.min(made + PAGE, shown.length);
    const part = document.createDocumentFragment();
    for (; made < end; made += 1) part.append(tile(shown[made], made));
    $('files').append(part);
    markPlaying();
  }
  new IntersectionObserver((entries) => { if (entries.some((entry) => entry.isIntersecting) && made < shown.length) more(); }, { rootMargin: '1200px' }).observe($('more'));

  /* Rows without a file, in groups: why, and what to do. */
  function reason(row) {
    if (row.failure) return [row.failure.title, row.failure.remedy];
    return EXPLAIN[row.status] || [(STATUS[row.status] || [row.status])[0], 'It was still on its way when this page was written.'];
  }
  function exceptions() {
    const groups = new Map();
    for (const row of rows) {
      if (row.status === 'done' || !rowPasses(row) || filter.kind !== '') continue;
      const [title, remedy] = reason(row);
      const key = row.status + title;
      if (!groups.has(key)) groups.set(key, { title, remedy, status: row.status, rows: [] });
      groups.get(key).rows.push(row);
    }
    const list = [...groups.values()].sort((a, b) => b.rows.length - a.rows.length);
    const count = list.reduce((sum, group) => sum + group.rows.length, 0);
    $('exceptions').hidden = count === 0;
    $('exceptions-title').textContent = plural(count, 'row') + ' without a verified file';
    $('exception-groups').replaceChildren(...list.map((group) => {
      const look = STATUS[group.status] || STATUS.queued;
      const mark = make('span', { class: 'status', title: look[0] }, icon(look[2]), make('span', { class: 'hidden' }, look[0]));
      mark.style.setProperty('--tone', 'var(' + look[1] + ')');
      const items = group.rows.slice(0, 500).map((row) => make('li', {},
        make('p', { class: 'id' }, row.id + ' · ' + row.operation), make('p', { dir: 'auto' }, row.label),
        row.failure && row.failure.message ? make('p', { class: 'why', dir: 'auto' }, row.failure.message) : undefined));
      if (group.rows.length > 500) items.push(make('li', {}, make('p', {}, 'and ' + plural(group.rows.length - 500, 'more row'))));
      return make('details', { class: 'group', open: list.length <= 3 && group.rows.length <= 12 },
        make('summary', {}, mark, make('b', {}, group.title), make('span', { class: 'number' }, plural(group.rows.length, 'row')), make('em', {}, group.remedy)),
        make('ul', {}, ...items));
    }));
  }

  function refresh() {
    shown = files.filter((file) => (filter.kind === '' || file.kind === filter.kind) && rowPasses(file.row));
    made = 0;
    watcher.disconnect();
    $('files').replaceChildren();
    more();
    exceptions();
    const none = shown.length === 0;
    $('empty').hidden = !none;
    $('empty').textContent = files.length === 0 ? 'No file has been verified yet.' : 'No file matches. Clear the search or choose another status.';
    $('count').textContent = plural(shown.length, 'file') + ' shown';
    $('files-title').textContent = shown.length === files.length ? plural(files.length, 'file') : shown.length.toLocaleString() + ' of ' + plural(files.length, 'file');
    for (const chip of $('chips').querySelectorAll('button')) {
      const { status, kind } = chip.dataset;
      chip.setAttribute('aria-pressed', String(status === filter.status && kind === filter.kind));
    }
  }

  function chip(word, count, status, kind, look) {
    const button = make('button', { class: 'chip', type: 'button', 'data-status': status, 'data-kind': kind, onclick: () => {
      const isOn = filter.status === status && filter.kind === kind;
      filter.status = isOn ? '' : status;
      filter.kind = isOn ? '' : kind;
      refresh();
    } }, look ? icon(look[2]) : '', word, make('b', {}, count.toLocaleString()));
    if (look) button.style.setProperty('--tone', 'var(' + look[1] + ')');
    return button;
  }
  function chips() {
    const list = [chip('Everything', rows.length, '', '')];
    for (const [status, look] of Object.entries(STATUS)) {
      const count = rows.filter((row) => row.status === status).length;
      if (count > 0) list.push(chip(look[0], count, status, '', look));
    }
    const kinds = Object.keys(KINDS).filter((kind) => files.some((file) => file.kind === kind));
    if (kinds.length > 1) {
      list.push(make('span', { class: 'gap', 'aria-hidden': 'true' }));
      for (const kind of kinds) list.push(chip(KINDS[kind], files.filter((file) => file.kind === kind).length, '', kind));
    }
    $('chips').append(...list);
  }

  /* One file, large, with everything known about it. */
  let viewed = -1;
  function view(at) {
    const file = shown[at];
    if (!file) return;
    viewed = at;
    const { row, asked } = file;
    const big = make('div', { class: 'big' });
    if (file.kind === 'image') big.append(make('img', { src: file.url, alt: asked.prompt || asked.label }));
    else if (file.kind === 'video') big.append(make('video', { src: file.url, controls: true, autoplay: true, loop: true, playsinline: true }));
    else if (file.kind === 'music') { stop(); big.append(cover(file), make('audio', { src: file.url, controls: true, autoplay: true })); }
    else big.append(make('div', { class: 'paper', tabindex: '0', dir: 'auto' }, file.text || 'A JSON document: open the file to read it.'));
    const facts = [['Row', row.id], ['Operation', asked.operation], ['Take', String(file.take)], ['Version', file.earlier ? 'Earlier: the row has been changed since' : ''], ['Task code', file.taskCode], ['Size', size(file.bytes)], ['Note', row.note],
      ...asked.fields.filter((field) => field[1] !== asked.prompt), ['File', file.path], ['sha256', file.sha256]];
    const side = make('div', { class: 'side' },
      make('button', { class: 'quiet close', type: 'button', 'aria-label': 'Close', onclick: () => $('viewer').close() }, icon('M4 4l8 8 M12 4l-8 8')),
      make('h2', { id: 'viewer-title', dir: 'auto' }, asked.label),
      asked.prompt && asked.prompt !== asked.label ? make('p', { class: 'prompt', dir: 'auto' }, asked.prompt) : undefined,
      make('div', { class: 'row' }, make('a', { href: file.url, target: '_blank', rel: 'noopener' }, 'Open the file'),
        make('button', { type: 'button', 'aria-label': 'Previous file', onclick: () => view(viewed - 1) }, '←'),
        make('button', { type: 'button', 'aria-label': 'Next file', onclick: () => view(viewed + 1) }, '→')),
      make('dl', {}, ...facts.filter((fact) => fact[1]).flatMap((fact) => [make('dt', {}, fact[0]), make('dd', { class: fact[0] === 'sha256' || fact[0] === 'File' || fact[0] === 'Task code' ? 'code' : '', dir: 'auto' }, fact[1])])));
    $('viewer').replaceChildren(big, side);
    if (!$('viewer').open) $('viewer').showModal();
    side.querySelector('.close').focus();
  }
  $('viewer').addEventListener('close', () => {
    $('viewer').replaceChildren();
    const tiles = $('files').querySelectorAll('.open');
    if (tiles[viewed]) tiles[viewed].focus();
  });
  $('viewer').addEventListener('click', (event) => { if (event.target === $('viewer')) $('viewer').close(); });

${GALLERY_PLAYER_SCRIPT}
  /* Dark by default, light if the reader's system or the button says so. */
  const SUN = 'M8 4.6a3.4 3.4 0 1 1 0 6.8 3.4 3.4 0 0 1 0-6.8Z M8 .9v1.3 M8 13.8v1.3 M.9 8h1.3 M13.8 8h1.3 M3 3l.9.9 M12.1 12.1l.9.9 M13 3l-.9.9 M3.9 12.1 3 13';
  const MOON = 'M13.6 9.6A6 6 0 0 1 6.4 2.4a6 6 0 1 0 7.2 7.2Z';
  function theme(name) {
    document.documentElement.dataset.theme = name;
    $('theme').replaceChildren(icon(name === 'dark' ? SUN : MOON));
  }
  theme(matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark');
  $('theme').addEventListener('click', () => theme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'));

  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  $('summary').textContent = [plural(rows.length, 'row'), plural(files.length, 'file'), size(total), new Date(batch.createdAt).toLocaleString(undefined, { dateStyle: 'long', timeStyle: 'short' })].join(' · ');
  for (const title of [...new Set(rows.map((row) => row.operation))].sort()) $('operation').append(make('option', { value: title }, title));
  $('operation').addEventListener('change', () => { filter.operation = $('operation').value; refresh(); });
  let pending;
  $('search').addEventListener('input', () => {
    clearTimeout(pending);
    pending = setTimeout(() => { filter.text = $('search').value.trim().toLowerCase(); refresh(); }, 120);
  });
  chips();
  refresh();
})();
`;
