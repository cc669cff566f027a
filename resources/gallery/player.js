/** Plays sounds, one at a time, and handles keys. */

const PLAY = 'M7 4.5v15a1 1 0 0 0 1.53.85l12-7.5a1 1 0 0 0 0-1.7l-12-7.5A1 1 0 0 0 7 4.5Z';
const PAUSE = 'M6 4h4v16H6zM14 4h4v16h-4z';
const NEXT = 'M5 5v14l10-7zM16 5h3v14h-3z';
const BACK = 'M19 5v14L9 12zM5 5h3v14H5z';
const CROSS = 'M6.7 5.3 12 10.6l5.3-5.3 1.4 1.4L13.4 12l5.3 5.3-1.4 1.4L12 13.4l-5.3 5.3-1.4-1.4L10.6 12 5.3 6.7z';

const audio = new Audio();
/** @type {ShownFile | undefined} */
let current;

/**
 * @param {string} label
 * @param {string} shape
 * @param {() => void} onclick
 */
function playerButton(label, shape, onclick, look = '') {
  return make('button', { class: look, type: 'button', 'aria-label': label, onclick }, icon(shape, true));
}

const playButton = playerButton('Play or pause', PAUSE, () => toggle(current), 'main');
const bar = seekBar(audio);
const nowTitle = make('p', { dir: 'auto' });
$('player').append(
  make(
    'div',
    { class: 'buttons' },
    playerButton('Previous', BACK, () => step(-1)),
    playButton,
    playerButton('Next', NEXT, () => step(1)),
  ),
  make('div', { class: 'now' }, nowTitle, bar.box),
  make('div', { class: 'buttons' }, bar.time, playerButton('Close the player', CROSS, stopSound)),
);

/**
 * Plays a sound, or pauses it.
 * @param {ShownFile | undefined} file
 */
function toggle(file) {
  if (file === undefined) return;
  const { label } = file.asked;
  if (current !== file) {
    current = file;
    audio.src = file.url;
    nowTitle.textContent = label;
    bar.show(file);
    $('player').hidden = false;
  }
  if (audio.paused) audio.play().catch(() => (nowTitle.textContent = `${label}: this browser cannot play it`));
  else audio.pause();
  markPlaying();
}

/**
 * Plays the next of the sounds that are shown, or the previous one.
 * @param {1 | -1} by
 */
function step(by) {
  const sounds = shown.filter((file) => file.kind === 'music');
  const at = sounds.findIndex((file) => file === current);
  const next = sounds[at < 0 ? 0 : (at + by + sounds.length) % sounds.length];
  if (next === undefined) return;
  audio.pause();
  current = undefined;
  toggle(next);
}

function stopSound() {
  audio.pause();
  current = undefined;
  $('player').hidden = true;
  markPlaying();
}

/** Shows which tile is playing. */
function markPlaying() {
  const path = audio.paused ? undefined : current?.path;
  playButton.replaceChildren(icon(path === undefined ? PLAY : PAUSE, true));
  for (const article of tiles()) {
    const isNow = article.dataset['path'] === path;
    if (article.classList.contains('playing') === isNow) continue;
    article.classList.toggle('playing', isNow);
    article.querySelector('.play')?.replaceChildren(icon(isNow ? PAUSE : PLAY, true));
  }
}

function tiles() {
  return [...$('files').querySelectorAll('article')];
}

audio.addEventListener('play', markPlaying);
audio.addEventListener('pause', markPlaying);
audio.addEventListener('ended', () => step(1));

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = /** @type {HTMLElement} */ (event.target);
  if (viewer.open) {
    const isOwn = target.matches('video, input') && event.key.startsWith('Arrow');
    if (!isOwn && viewerKey(event.key.length === 1 ? event.key.toLowerCase() : event.key)) event.preventDefault();
    return;
  }
  if (event.key === 'Escape' && target === search) {
    search.value = '';
    filter.text = '';
    refresh();
  }
  if (target.matches('input[type=search], select, input[type=range]')) return;
  const tile = target.closest('article');
  if (event.key === '/') {
    event.preventDefault();
    search.focus();
  } else if (event.key.toLowerCase() === 'p') {
    viewed = tile === null ? 0 : tiles().indexOf(tile);
    playAll(true);
  } else if (event.key === ' ') {
    const file = tile === null ? current : shown.find(({ path }) => path === tile.dataset['path']);
    if (file?.kind !== 'music' || (tile === null && target !== document.body)) return;
    event.preventDefault();
    toggle(file);
  } else if (tile !== null) {
    moveFocus(event, tile);
  }
});

/**
 * Moves the focus from a tile to the one beside, above or below it.
 * @param {KeyboardEvent} event
 * @param {HTMLElement} tile
 */
function moveFocus(event, tile) {
  const columns = getComputedStyle($('files')).gridTemplateColumns.split(' ').length;
  const steps = new Map([
    ['ArrowLeft', -1],
    ['ArrowRight', 1],
    ['ArrowUp', -columns],
    ['ArrowDown', columns],
  ]);
  const by = steps.get(event.key);
  const all = tiles();
  const next = by === undefined ? undefined : all[all.indexOf(tile) + by];
  if (next === undefined) return;
  event.preventDefault();
  next.querySelector('button')?.focus();
  next.scrollIntoView({ block: 'nearest' });
}
