/** Shows one file large, with everything known about it. */

const viewer = /** @type {HTMLDialogElement} */ ($('viewer'));
/** These stay while one file follows another: a browser leaves the full screen when its element is removed. */
const bigBox = make('div', { class: 'big' });
const sideBox = make('div', { class: 'side' });
const placeLine = make('p', { class: 'place', role: 'status' });
viewer.append(bigBox, sideBox);

/** The place of the file that is shown large. */
let viewed = -1;

/**
 * All files that are shown are played, one after the other: a picture stays for a while, and a file that does not play
 * is passed over.
 */
let isPlayingAll = false;
const LOOK_MS = 6000;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let looking;

const playAllButton = make('button', { type: 'button', onclick: () => playAll(!isPlayingAll) });

/** @param {boolean} isOn */
function markPlayingAll(isOn) {
  isPlayingAll = isOn;
  playAllButton.textContent = isOn ? 'Stop' : 'Play all';
  clearTimeout(looking);
}

function playNext() {
  if (!isPlayingAll || !viewer.open) return;
  if (viewed + 1 < shown.length) view(viewed + 1);
  else markPlayingAll(false);
}

/**
 * Begins with the file that is shown large, or else with the first; or stops, and lets the current file end alone.
 * @param {boolean} isOn
 */
function playAll(isOn) {
  markPlayingAll(isOn && shown.length > 0);
  if (isPlayingAll) view(Math.max(0, viewed));
}

markPlayingAll(false);

/** One frame of 25 a second, the least that most films have. */
const FRAME_S = 1 / 25;

/** @param {string} key */
function viewerKey(key) {
  const film = viewer.querySelector('video');
  const by = new Map([
    [',', -FRAME_S],
    ['.', FRAME_S],
  ]).get(key);
  if (key === 'ArrowLeft') view(viewed - 1);
  else if (key === 'ArrowRight') view(viewed + 1);
  else if (key === 'p') playAll(!isPlayingAll);
  else if (key === 'z') bigBox.classList.toggle('pixels');
  else if (key === 'f' && document.fullscreenElement !== null) void document.exitFullscreen();
  else if (key === 'f') void bigBox.requestFullscreen().catch(() => undefined);
  else if (by !== undefined && film !== null) {
    film.pause();
    film.currentTime += by;
  } else return false;
  return true;
}

/**
 * A player, with what happens at its end.
 * @template {HTMLMediaElement} T
 * @param {T} media
 */
function playing(media) {
  media.addEventListener('ended', playNext);
  media.addEventListener('error', playNext);
  return media;
}

/** @param {ShownFile} file */
function big(file) {
  const play = { src: file.url, controls: true, autoplay: true };
  clearTimeout(looking);
  if (isPlayingAll && (file.kind === 'image' || file.kind === 'data')) looking = setTimeout(playNext, LOOK_MS);
  switch (file.kind) {
    case 'image':
      return [make('img', { src: file.url, alt: file.asked.prompt || file.asked.label })];
    case 'video':
      return [playing(make('video', { ...play, loop: !isPlayingAll, playsinline: true }))];
    case 'music':
      stopSound();
      return song(file);
    case 'data': {
      const text = file.text || 'A JSON document: open the file to read it.';
      return [make('div', { class: 'paper', tabindex: '0', dir: 'auto' }, text)];
    }
  }
}

const CODES = new Set(['File', 'sha256', 'Task code']);

/**
 * What is known about a file.
 * @param {ShownFile} file
 */
function facts(file) {
  const { row, asked, take, earlier, taskCode, bytes, path, sha256, said = '', flags = [] } = file;
  const verdict = Object.values(SAID).flatMap(([word, , , isMeant]) => (isMeant(file) ? word : []));
  /** @type {readonly (readonly [name: string, text: string])[]} */
  const all = [
    ['Row', row.id],
    ['Operation', asked.operation],
    ['Take', String(take)],
    ['Version', earlier ? 'Earlier: the row has been changed since' : ''],
    ['Task code', taskCode],
    ['Size', sizeText(bytes)],
    ['Verdict', [...verdict, stars(file)].filter((word) => word !== '').join(' · ')],
    ['What was said', said],
    ['Gates', flags.map(([gate, words]) => `${gate}: ${words}`).join(' ')],
    ['Note', row.note],
    ...asked.fields.filter(([, text]) => text !== asked.prompt),
    ['File', path],
    ['sha256', sha256],
  ];
  const known = all.filter(([, text]) => text !== '');
  return known.flatMap(([name, text]) => [
    make('dt', {}, name),
    make('dd', { class: CODES.has(name) ? 'code' : '', dir: 'auto' }, text),
  ]);
}

/**
 * Shows one file large, with everything known about it.
 * @param {number} at Its place among those that are shown.
 */
function view(at) {
  const file = shown[at];
  if (file === undefined) return;
  viewed = at;
  const { label, prompt } = file.asked;
  /** @type {(label: string, sign: string, by: 1 | -1) => HTMLElement} */
  const beside = (name, sign, by) =>
    make('button', { type: 'button', 'aria-label': name, onclick: () => view(viewed + by) }, sign);
  const close = make(
    'button',
    { class: 'quiet close', type: 'button', 'aria-label': 'Close', onclick: () => viewer.close() },
    icon(CLOSE),
  );
  const focused = document.activeElement;
  const nameOf = (/** @type {Element | null} */ one) => one?.getAttribute('aria-label') ?? one?.textContent;
  bigBox.replaceChildren(...big(file));
  const about = [
    close,
    make('h2', { id: 'viewer-title', dir: 'auto' }, label),
    prompt !== '' && prompt !== label && !file.sung?.lines.length
      ? make('p', { class: 'prompt', dir: 'auto' }, prompt)
      : undefined,
    make(
      'div',
      { class: 'row' },
      make('a', { href: file.url, target: '_blank', rel: 'noopener' }, 'Open the file'),
      beside('Previous file', '←', -1),
      beside('Next file', '→', 1),
      playAllButton,
    ),
    placeLine,
    make('dl', {}, ...facts(file)),
  ];
  sideBox.replaceChildren(...about.filter((part) => part !== undefined));
  // A screen reader announces what changes in the page.
  placeLine.textContent = `${(at + 1).toLocaleString(LOCALE)} of ${shown.length.toLocaleString(LOCALE)}`;
  // The focus stays on the same button: when all files are played, the next one comes by itself.
  const same = [...sideBox.querySelectorAll('a, button')].find((one) => viewer.open && nameOf(one) === nameOf(focused));
  if (!viewer.open) viewer.showModal();
  /** @type {HTMLElement} */ (same ?? close).focus();
}

viewer.addEventListener('close', () => {
  // The event comes a moment later: another file may be open by then.
  if (viewer.open) return;
  markPlayingAll(false);
  bigBox.replaceChildren();
  sideBox.replaceChildren();
  tiles()[viewed]?.querySelector('button')?.focus();
});
viewer.addEventListener('click', (event) => {
  if (event.target === viewer) viewer.close();
});
