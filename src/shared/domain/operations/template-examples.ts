import type { OperationPath } from './operations.ts';

/** The rows of a template: cells by header, in the order of the sheet. */
export interface TemplateExample {
  readonly title: string;
  /** A sentence that says what the template produces. */
  readonly makes: string;
  readonly rows: readonly Readonly<Record<string, string>>[];
}

/** The song from which the examples of work on a clip start, so that they run as they are. */
const SONG = {
  row: 'song',
  operation: 'music',
  prompt:
    '[Verse]\nThe last tram hums along the quay,\nits windows full of rain\n[Chorus]\nStay a little, stay with me,\nuntil it comes again',
  tags: 'indie folk|fingerpicked guitar|soft voice',
  title: 'The Last Tram',
};

/** A row for an existing clip: skipped until the user fills it in. */
function ownClip(operation: string): Readonly<Record<string, string>> {
  return {
    row: 'own-clip',
    operation,
    clip_id: 'the-id-of-a-clip-of-yours',
    note: 'For a clip that you already have: put its id here and clear “skip”.',
    skip: 'yes',
  };
}

/** What most gateways want for a clip; stated in the row, because the interface leaves it open. */
const CLIP_NOTE = 'The clip that the row “song” made. If your gateway names clips differently: {{song.result.clip_id}}';

/** Three rows for each operation, as a user would write them. */
export const OPERATION_EXAMPLES: Readonly<Record<OperationPath, TemplateExample>> = {
  'musicgen/music/generate': {
    title: 'Music',
    makes: 'Songs: from lyrics, from a description, and without a voice.',
    rows: [
      { ...SONG, row: 'from-lyrics', takes: '2', note: 'Two takes: the better one stays.' },
      {
        row: 'from-words',
        operation: 'music',
        gpt_description_prompt: 'A slow waltz for piano and cello about a lighthouse keeper who writes letters',
        negative_tags: 'drums|electric guitar',
        title: 'Letters from the Light',
      },
      {
        row: 'instrumental',
        operation: 'music',
        tags: 'ambient|warm pads|field recording of rain|60 bpm',
        make_instrumental: 'yes',
        title: 'Rain on the Skylight',
      },
    ],
  },
  'videogen-a/video/generate': {
    title: 'Video A',
    makes: 'Three short videos from words.',
    rows: [
      {
        row: 'harbour',
        operation: 'video-a',
        prompt: 'A fishing harbour before sunrise, slow push in, mist over the water, gulls far away, film grain',
        orientation: 'landscape',
        duration: '8',
      },
      {
        row: 'paper-boat',
        operation: 'video-a',
        prompt: 'A paper boat drifts down a rain-filled gutter past autumn leaves, macro lens, shallow depth of field',
        orientation: 'portrait',
        duration: '8',
      },
      {
        row: 'kitchen',
        operation: 'video-a',
        prompt: 'Steam rises from a kettle in a small kitchen at night, one warm lamp, the camera does not move',
        orientation: 'landscape',
        duration: '8',
      },
    ],
  },
  'videogen-b/video/generate': {
    title: 'Video B',
    makes: 'Three short videos from words, in two shapes.',
    rows: [
      {
        row: 'owl',
        operation: 'video-b',
        prompt: 'An owl turns its head on a mossy branch under the moon, close up, slow motion',
        aspectRatio: '16:9',
      },
      {
        row: 'train',
        operation: 'video-b',
        prompt: 'A night train crosses a stone viaduct, seen from the valley, windows glowing, light snow',
        aspectRatio: '16:9',
      },
      {
        row: 'lantern',
        operation: 'video-b',
        prompt: 'A paper lantern rises over a lake and its reflection sinks, symmetrical, long shot',
        aspectRatio: '9:16',
      },
    ],
  },
  'musicgen/music/persona': {
    title: 'Persona',
    makes: 'A song, and a voice made from it that can sing others.',
    rows: [
      SONG,
      {
        row: 'voice',
        operation: 'persona',
        clip_id: '{{song.taskId}}',
        name: 'Tram singer',
        description: 'A soft, close voice with a little breath in it',
        is_public: 'no',
        note: CLIP_NOTE,
      },
      { ...ownClip('persona'), name: 'My voice', description: 'What it is like' },
    ],
  },
  'musicgen/music/concat': {
    title: 'Concat',
    makes: 'A song, its continuation, and both joined.',
    rows: [
      SONG,
      {
        row: 'continued',
        operation: 'music',
        task: 'extend',
        prompt: '[Bridge]\nAnd all the wires sing at night\n[Chorus]\nStay a little, stay with me',
        tags: 'indie folk|fingerpicked guitar|soft voice',
        title: 'The Last Tram, continued',
        clip_id: '{{song.taskId}}',
        continue_at: '60',
        note: '“task” is the word that your gateway has for continuing a clip.',
      },
      { row: 'whole', operation: 'concat', clip_id: '{{continued.taskId}}', note: 'The continuation names its clip.' },
    ],
  },
  'musicgen/music/lyrics': {
    title: 'Lyrics',
    makes: 'Three lyrics to read now and sing later.',
    rows: [
      { row: 'bakery', operation: 'lyrics', prompt: 'A love song set in a bakery at four in the morning' },
      { row: 'sailor', operation: 'lyrics', prompt: 'A sea shanty about a sailor who is afraid of water, four verses' },
      {
        row: 'winter',
        operation: 'lyrics',
        prompt: 'A lullaby about the first snow, gentle, with a chorus',
        takes: '2',
      },
    ],
  },
  'musicgen/music/upload': {
    title: 'Upload',
    makes: 'Clips from audio on the web.',
    rows: [
      {
        row: 'demo',
        operation: 'upload',
        audioUrl: 'https://example.com/demo.mp3',
        note: 'Put the address of your own audio here; the gateway fetches it.',
      },
      { row: 'guitar', operation: 'upload', audioUrl: 'https://example.com/guitar.wav' },
      {
        row: 'several',
        operation: 'upload',
        audioUrl: 'https://example.com/take-1.mp3|https://example.com/take-2.mp3',
        note: 'Several addresses stand in one cell, with | between them.',
      },
    ],
  },
  'musicgen/music/upsampleTags': {
    title: 'Upsample tags',
    makes: 'Three rich descriptions of a style from a few words.',
    rows: [
      { row: 'folk', operation: 'upsample-tags', prompt: 'nordic folk, female voice, slow' },
      { row: 'synth', operation: 'upsample-tags', prompt: '80s synth, night drive' },
      { row: 'choir', operation: 'upsample-tags', prompt: 'children’s choir, church, winter' },
    ],
  },
  'musicgen/music/downbeats': {
    title: 'Downbeats',
    makes: 'A song, and the times of its downbeats.',
    rows: [
      SONG,
      { row: 'beats', operation: 'downbeats', clip_id: '{{song.taskId}}', note: CLIP_NOTE },
      ownClip('downbeats'),
    ],
  },
  'musicgen/music/timing': {
    title: 'Timing',
    makes: 'A song, and the time of each of its words.',
    rows: [SONG, { row: 'words', operation: 'timing', clip_id: '{{song.taskId}}', note: CLIP_NOTE }, ownClip('timing')],
  },
  'musicgen/music/wav': {
    title: 'WAV',
    makes: 'A song, and the same song as WAV.',
    rows: [SONG, { row: 'song-wav', operation: 'wav', clip_id: '{{song.taskId}}', note: CLIP_NOTE }, ownClip('wav')],
  },
  'musicgen/music/mp4': {
    title: 'MP4',
    makes: 'A song, and the same song as a video.',
    rows: [SONG, { row: 'song-video', operation: 'mp4', clip_id: '{{song.taskId}}', note: CLIP_NOTE }, ownClip('mp4')],
  },
  'videogen-b/image/generate': {
    title: 'Image',
    makes: 'Pictures from words, in three shapes.',
    rows: [
      {
        row: 'cover',
        operation: 'image',
        prompt: 'Album cover: an empty tram stop at night, one lit window, gouache, muted blues and one warm yellow',
        num_images: '2',
        aspect_ratio: '1:1',
        note: 'One paid request gives two pictures here.',
      },
      {
        row: 'banner',
        operation: 'image',
        prompt: 'A wide valley at blue hour, a single train with glowing windows, matte painting',
        aspect_ratio: '16:9',
      },
      {
        row: 'poster',
        operation: 'image',
        prompt: 'Screen-printed poster of an owl holding a key, three colours, heavy paper texture',
        aspect_ratio: '2:3',
      },
    ],
  },
};
