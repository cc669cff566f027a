/** The part of the gallery's script that plays sounds and handles keys; it is embedded in the main part. */
export const GALLERY_PLAYER_SCRIPT = String.raw`
  /* One sound at a time. */
  const audio = new Audio();
  let current;
  const clock = (seconds) => (Number.isFinite(seconds) ? Math.floor(seconds / 60) + ':' + String(Math.floor(seconds % 60)).padStart(2, '0') : '–:––');
  const playButton = make('button', { class: 'main', type: 'button', 'aria-label': 'Play or pause', onclick: () => toggle(current) }, icon(PAUSE, true));
  const seek = make('input', { type: 'range', min: '0', max: '1000', value: '0', 'aria-label': 'Position', oninput: () => { if (audio.duration) audio.currentTime = (seek.value / 1000) * audio.duration; } });
  const nowTitle = make('p', { dir: 'auto' });
  const time = make('span', { class: 'time' });
  $('player').append(
    make('div', { class: 'buttons' }, make('button', { type: 'button', 'aria-label': 'Previous', onclick: () => step(-1) }, icon(BACK, true)), playButton, make('button', { type: 'button', 'aria-label': 'Next', onclick: () => step(1) }, icon(NEXT, true))),
    make('div', { class: 'now' }, nowTitle, seek), make('div', { class: 'buttons' }, time, make('button', { type: 'button', 'aria-label': 'Close the player', onclick: stop }, icon('M6.7 5.3 12 10.6l5.3-5.3 1.4 1.4L13.4 12l5.3 5.3-1.4 1.4L12 13.4l-5.3 5.3-1.4-1.4L10.6 12 5.3 6.7z', true))));
  function toggle(file) {
    if (!file) return;
    if (current !== file) {
      current = file;
      audio.src = file.url;
      nowTitle.textContent = file.asked.label;
      $('player').hidden = false;
    }
    if (audio.paused) audio.play().catch(() => { nowTitle.textContent = file.asked.label + ': this browser cannot play it'; });
    else audio.pause();
    markPlaying();
  }
  function step(by) {
    const sounds = shown.filter((file) => file.kind === 'music');
    const at = sounds.indexOf(current);
    const next = sounds[at < 0 ? 0 : (at + by + sounds.length) % sounds.length];
    if (next) { audio.pause(); current = undefined; toggle(next); }
  }
  function stop() { audio.pause(); current = undefined; $('player').hidden = true; markPlaying(); }
  function markPlaying() {
    const path = current && !audio.paused ? current.path : undefined;
    playButton.replaceChildren(icon(path ? PAUSE : PLAY, true));
    for (const article of $('files').querySelectorAll('.tile')) {
      const isNow = article.dataset.path === path;
      if (article.classList.contains('playing') === isNow) continue;
      article.classList.toggle('playing', isNow);
      const button = article.querySelector('.play');
      if (button) button.replaceChildren(icon(isNow ? PAUSE : PLAY, true));
    }
  }
  audio.addEventListener('play', markPlaying);
  audio.addEventListener('pause', markPlaying);
  audio.addEventListener('ended', () => step(1));
  audio.addEventListener('timeupdate', () => {
    seek.value = audio.duration ? String((audio.currentTime / audio.duration) * 1000) : '0';
    time.textContent = clock(audio.currentTime) + ' / ' + clock(audio.duration);
  });

  /* Keys. */
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.matches('input[type=search], select, input[type=range]');
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if ($('viewer').open) {
      if (event.key === 'ArrowLeft' && !event.target.matches('audio, video')) view(viewed - 1);
      else if (event.key === 'ArrowRight' && !event.target.matches('audio, video')) view(viewed + 1);
      return;
    }
    if (event.key === '/' && !isTyping) { event.preventDefault(); $('search').focus(); return; }
    if (event.key === 'Escape' && event.target === $('search')) { $('search').value = ''; filter.text = ''; refresh(); return; }
    const tiles = [...$('files').querySelectorAll('.open')];
    const article = event.target.closest('.tile');
    if (event.key === ' ' && !isTyping && (article || event.target === document.body)) {
      const file = article ? shown.find((candidate) => candidate.path === article.dataset.path) : current;
      if (file && file.kind === 'music') { event.preventDefault(); toggle(file); }
      return;
    }
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns(), ArrowDown: columns() };
    if (!(event.key in steps) || isTyping) return;
    const at = article ? tiles.indexOf(article.querySelector('.open')) : -1;
    if (at < 0) return;
    const next = tiles[at + steps[event.key]];
    if (next) { event.preventDefault(); next.focus(); next.scrollIntoView({ block: 'nearest' }); }
  });
  function columns() { return getComputedStyle($('files')).gridTemplateColumns.split(' ').length; }
`;
