/** Shows one file large, with everything known about it. */

const viewer = /** @type {HTMLDialogElement} */ ($('viewer'));

/** The place of the file that is shown large. */
let viewed = -1;

/** @param {ShownFile} file */
function big(file) {
  switch (file.kind) {
    case 'image':
      return [make('img', { src: file.url, alt: file.asked.prompt || file.asked.label })];
    case 'video':
      return [make('video', { src: file.url, controls: true, autoplay: true, loop: true, playsinline: true })];
    case 'music':
      stopSound();
      return [cover(file), make('audio', { src: file.url, controls: true, autoplay: true })];
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
function facts({ row, asked, take, earlier, taskCode, bytes, path, sha256 }) {
  /** @type {readonly (readonly [name: string, text: string])[]} */
  const all = [
    ['Row', row.id],
    ['Operation', asked.operation],
    ['Take', String(take)],
    ['Version', earlier ? 'Earlier: the row has been changed since' : ''],
    ['Task code', taskCode],
    ['Size', sizeText(bytes)],
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
  viewer.replaceChildren(
    make('div', { class: 'big' }, ...big(file)),
    make(
      'div',
      { class: 'side' },
      close,
      make('h2', { id: 'viewer-title', dir: 'auto' }, label),
      prompt !== '' && prompt !== label ? make('p', { class: 'prompt', dir: 'auto' }, prompt) : undefined,
      make(
        'div',
        { class: 'row' },
        make('a', { href: file.url, target: '_blank', rel: 'noopener' }, 'Open the file'),
        beside('Previous file', '←', -1),
        beside('Next file', '→', 1),
      ),
      make('dl', {}, ...facts(file)),
    ),
  );
  if (!viewer.open) viewer.showModal();
  close.focus();
}

viewer.addEventListener('close', () => {
  viewer.replaceChildren();
  tiles()[viewed]?.querySelector('button')?.focus();
});
viewer.addEventListener('click', (event) => {
  if (event.target === viewer) viewer.close();
});
