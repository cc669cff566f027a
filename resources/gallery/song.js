/** Songs: their waveform, which is the seek bar, how loud they are, and their lyrics, which follow the singing. */

/** What digits of a waveform mean, see GallerySound. */
const LOUDEST_DIGIT = 35;
/** The sizes of a bar and the space after it, in the units of the drawing; silence is visible, too. */
const BAR = { width: 2, step: 3, tall: 100, least: 3 };

/**
 * A drawing of bars, stretched to fill its place.
 * @param {string} look
 * @param {string} path
 * @param {number} width
 */
function drawing(look, path, width) {
  const svg = icon(path, true);
  svg.setAttribute('viewBox', `0 0 ${width} ${BAR.tall}`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('class', look);
  return svg;
}

/**
 * @param {GallerySound} sound
 * @param {string} look
 */
function waveform({ levels }, look) {
  const bars = Array.from(levels, (digit, at) => {
    const tall =
      Math.max(BAR.least, (Number.parseInt(digit, LOUDEST_DIGIT + 1) / LOUDEST_DIGIT) * BAR.tall) || BAR.least;
    return `M${at * BAR.step} ${(BAR.tall - tall) / 2}h${BAR.width}v${tall}h-${BAR.width}z`;
  });
  return drawing(look, bars.join(''), levels.length * BAR.step);
}

/**
 * With a minus that is as wide as a digit, and one decimal.
 * @param {number} value
 */
const decibels = (value) => value.toFixed(1).replace('-', '\u2212');

/**
 * How loud a song is, in words; undefined if that is not known.
 * @param {ShownFile} file
 */
function loudness({ sound: { lufs, peakDb } = { levels: '' } }) {
  const words = [
    ...(lufs === undefined ? [] : [`${decibels(lufs)} LUFS`]),
    ...(peakDb === undefined ? [] : [`peak ${decibels(peakDb)} dBFS`]),
  ];
  if (words.length === 0) return undefined;
  const title = 'Its loudness by EBU R128, and its loudest sample';
  return make('p', { class: 'loudness', title }, words.join(' · '));
}

/**
 * Calls back with the position in a sound, in seconds, as it plays and when the user seeks. A player reports it by
 * itself only four times a second.
 * @param {HTMLMediaElement} sound
 * @param {(seconds: number) => void} onPlace
 */
function follow(sound, onPlace) {
  const tell = () => onPlace(sound.currentTime);
  const step = () => {
    tell();
    if (!sound.paused && sound.isConnected) requestAnimationFrame(step);
  };
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) sound.addEventListener('playing', step);
  for (const name of ['timeupdate', 'seeked', 'durationchange']) sound.addEventListener(name, tell);
}

/**
 * Shows where a sound is and where it is to go; `show` adds its waveform, if that is known.
 * @param {HTMLMediaElement} sound
 */
function seekBar(sound) {
  const range = make('input', { type: 'range', min: '0', max: '1000', value: '0', 'aria-label': 'Position' });
  const box = make('div', { class: 'seek' }, range);
  const time = make('span', { class: 'time' });
  /** @type {readonly number[]} */
  let beats = [];
  range.addEventListener('input', () => {
    if (sound.duration) sound.currentTime = (Number(range.value) / 1000) * sound.duration;
  });
  follow(sound, (seconds) => {
    const place = sound.duration ? seconds / sound.duration : 0;
    range.value = String(place * 1000);
    range.setAttribute('aria-valuetext', `${clockText(seconds)} of ${clockText(sound.duration)}`);
    box.style.setProperty('--played', `${place * 100}%`);
    time.textContent = `${clockText(seconds)} / ${clockText(sound.duration)}`;
  });
  sound.addEventListener('durationchange', () => {
    box.querySelector('.beats')?.remove();
    const width = sound.duration * 100;
    if (beats.length === 0 || !Number.isFinite(width)) return;
    const bars = beats.map((at) => `M${at * 100} 0h${width / 900}v${BAR.tall}h-${width / 900}z`);
    range.before(drawing('beats', bars.join(''), width));
  });
  return {
    box,
    time,
    /** @param {ShownFile} file */
    show(file) {
      beats = file.sung?.beats ?? [];
      const waves = file.sound === undefined ? [] : [waveform(file.sound, 'all'), waveform(file.sound, 'played')];
      box.classList.toggle('wave', waves.length > 0);
      box.replaceChildren(...waves, range);
    },
  };
}

/**
 * The lyrics of a song. The line being sung is marked and kept in sight; a line with a time leads there.
 * @param {GallerySung} sung
 * @param {HTMLMediaElement} sound
 */
function lyrics({ lines }, sound) {
  const items = lines.map(([text, start]) => {
    const look = /^\[.*\]$/u.test(text) ? 'heading' : '';
    if (start === undefined) return make('li', { class: look, dir: 'auto' }, text);
    const go = () => {
      sound.currentTime = start;
      void sound.play().catch(() => undefined);
    };
    return make(
      'li',
      { class: look },
      make('button', { type: 'button', tabindex: '-1', dir: 'auto', onclick: go }, text),
    );
  });
  const buttons = items.flatMap((item) => item.querySelector('button') ?? []);
  const isTimed = buttons.length > 0;
  const look = isTimed ? 'lyrics timed' : 'lyrics';
  // The Tab key reaches one of the lines, and the arrows the others: otherwise Tab would have to pass them all.
  buttons[0]?.setAttribute('tabindex', '0');
  const list = make('ol', { class: look, 'aria-label': 'Lyrics', tabindex: isTimed ? undefined : '0' }, ...items);
  list.addEventListener('keydown', (event) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const next = by === 0 ? undefined : buttons[buttons.findIndex((one) => one === event.target) + by];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  });
  let current = -1;
  follow(sound, (seconds) => {
    const now = lines.findLastIndex(([, start]) => start !== undefined && start <= seconds);
    if (now === current) return;
    items[current]?.removeAttribute('aria-current');
    current = now;
    const line = items[now];
    if (line === undefined) return;
    line.setAttribute('aria-current', 'true');
    for (const button of buttons) button.setAttribute('tabindex', button.parentElement === line ? '0' : '-1');
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    // Only the lyrics move, and the focus stays where it is.
    const top = line.offsetTop - (list.clientHeight - line.offsetHeight) / 2;
    list.scrollTo({ top, behavior: isCalm ? 'instant' : 'smooth' });
  });
  return list;
}

/**
 * A song, large, to listen to.
 * @param {ShownFile} file
 */
function song(file) {
  const sound = playing(make('audio', { src: file.url, autoplay: true }));
  const bar = seekBar(sound);
  bar.show(file);
  const button = playerButton(
    'Play',
    PLAY,
    () => (sound.paused ? void sound.play().catch(() => undefined) : sound.pause()),
    'main',
  );
  const note = make('p', { class: 'loudness', role: 'alert' });
  const mark = () => {
    button.replaceChildren(icon(sound.paused ? PLAY : PAUSE, true));
    button.setAttribute('aria-label', sound.paused ? 'Play' : 'Pause');
  };
  for (const name of ['play', 'pause', 'ended']) sound.addEventListener(name, mark);
  sound.addEventListener('error', () => (note.textContent = 'This browser cannot play it: open the file.'));
  const isBare = file.sound === undefined && file.sung === undefined;
  const controls = make('div', { class: 'controls' }, button, bar.box, bar.time);
  const words = file.sung === undefined || file.sung.lines.length === 0 ? undefined : lyrics(file.sung, sound);
  const box = make('div', { class: 'song' }, words, sound, controls, loudness(file), note);
  return isBare ? [cover(file), box] : [box];
}
