/** One file as a tile: its small picture, its waveform or its words, and what was said about it. */

/**
 * A picture for a sound, with colours that follow from its path.
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

/** @param {string} src */
const pictureFrom = (src) => make('img', { src, alt: '', loading: 'lazy', decoding: 'async' });

/** @param {ShownFile} file */
function film({ url }) {
  const look = { preload: 'none', muted: true, playsinline: true, loop: true };
  const video = make('video', { ...look, 'data-src': url });
  video.muted = true;
  return video;
}

/**
 * The small picture beside the page; if it is missing, the file itself.
 * @param {ShownFile} file
 * @param {string} extension
 */
function small(file, extension) {
  const { sha256 } = file;
  const picture = pictureFrom(`${batch.previews}/${sha256.slice(0, 2)}/${sha256}.${extension}`);
  picture.addEventListener('error', () => picture.replaceWith(whole(file)));
  return picture;
}

/** @param {ShownFile} file */
function whole(file) {
  if (file.kind !== 'video') return pictureFrom(file.url);
  const video = film(file);
  watcher.observe(video);
  return video;
}

/** @param {ShownFile} file */
function stage(file) {
  switch (file.kind) {
    case 'image':
    case 'video':
      return file.picture === undefined ? whole(file) : small(file, file.picture);
    case 'music':
      return file.sound === undefined ? cover(file) : make('span', { class: 'swing' }, waveform(file.sound, 'all'));
    case 'data':
      return make('div', { class: 'paper' }, file.text || 'A JSON document');
  }
}

/**
 * A film moves while the pointer is on its tile; if only its picture was there, the film is loaded for that long.
 * @param {HTMLElement} article
 * @param {HTMLElement} box
 * @param {ShownFile} file
 */
function playUnderPointer(article, box, file) {
  article.addEventListener('pointerenter', () => {
    let video = box.querySelector('video');
    if (video === null) {
      video = film(file);
      video.src = file.url;
      box.firstElementChild?.after(video);
    }
    video.play().catch(() => undefined);
  });
  article.addEventListener('pointerleave', () => {
    const video = box.querySelector('video');
    if (video === box.firstElementChild) video?.pause();
    else video?.remove();
  });
}

/** @param {GalleryFile} file */
const stars = ({ rating = 0 }) => '★'.repeat(Math.min(rating, MOST_STARS));

/**
 * What was said about a file, small; undefined if nothing was.
 * @param {ShownFile} file
 */
function marks(file) {
  const found = [...Object.values(SAID), FLAG].filter(([, , , isMeant]) => isMeant(file));
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
  const box = make(
    'div',
    { class: 'stage' },
    stage(file),
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
  if (file.kind === 'video') playUnderPointer(article, box, file);
  return article;
}
