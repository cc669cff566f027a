/** The sheet in the pictures of the documentation: a small studio's album, with a film and a cover for each song. */

/** A song's title, what it is about, its cover, and its film. */
const SONGS = [
  [
    'The Last Light',
    'A lullaby about a lighthouse that waits for one late boat',
    'A lighthouse at night',
    'A slow pan over a harbour at blue hour, no people',
  ],
  [
    'Paper Boats',
    'A counting song for children who cannot sleep',
    'Paper boats on a dark pond',
    'A paper boat drifts down a lamplit gutter',
  ],
  [
    'The Owl Keeps the Night',
    'A low waltz for an owl on a signal mast',
    'Screen print of an owl with a brass lamp',
    'Clouds cross the moon above a sleeping village',
  ],
  [
    'Night Train',
    'A ballad about a night train through snow',
    'A night train seen from a hill',
    'Snow passes a train window, reflections of a reading lamp',
  ],
  [
    'Carousel',
    'A slow waltz for a carousel that nobody rides',
    'An empty carousel under string lights',
    'A carousel turns in the rain, seen from above',
  ],
  [
    'Tin Roof',
    'Felt piano and rain on a tin roof, no drums',
    'Rain on a tin roof, ink and wash',
    'Rain runs down a tin roof at dusk',
  ],
  [
    'Harbour Bells',
    'A sea shanty for a low choir and an accordion',
    'A bell buoy in heavy fog',
    'Fog rolls over fishing boats at anchor',
  ],
  [
    'The Night Watchman',
    'Verses about a night watchman and his dog',
    'A watchman with a lantern, woodcut',
    'A lantern moves slowly along a quay',
  ],
  [
    'Fox in the Signal Box',
    'A gentle round about a fox in a signal box',
    'Watercolour of a fox asleep in a signal box',
    'A fox crosses the rails in first light',
  ],
  [
    'Last Tram',
    'A quiet song about the last tram home',
    'An empty tram stop at night',
    'The last tram leaves, its lights on wet cobbles',
  ],
  [
    'Valley',
    'A hum for a wide valley before dawn',
    'A wide valley before dawn, a single lit window',
    'Mist lifts from a valley in time lapse',
  ],
  [
    'Morning',
    'A bright little march for the first bird',
    'A blackbird on a chimney at sunrise',
    'The sun rises behind chimneys, smoke drifts',
  ],
] as const;

const LINES = SONGS.flatMap(([title, song, cover, film], index) => {
  const number = String(index + 1).padStart(2, '0');
  return [
    [`song-${number}`, 'music', song, title, index < 4 ? '2' : '1'],
    [`words-${number}`, 'lyrics', song, '', '1'],
    [`cover-${number}`, 'image', `Album cover: ${cover}`, '', '1'],
    [`film-${number}`, index % 2 === 0 ? 'video-b' : 'video-a', film, '', '1'],
  ];
});

/** As in the file of a spreadsheet program. */
export const ALBUM_SHEET = [['row', 'operation', 'prompt', 'title', 'takes'], ...LINES]
  .map((cells) => cells.map((cell) => (/[",]/u.test(cell) ? `"${cell}"` : cell)).join(','))
  .join('\n');
