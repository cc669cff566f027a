import type { TemplateExample } from './template-examples.ts';

const RESULT_NOTE = 'A reference looks through the whole result; use the name of your gateway’s field.';

/** Rows that wait for each other, in the chains that people use most. */
export const CHAIN_EXAMPLES: Readonly<Record<string, TemplateExample>> = {
  'lyrics-to-song': {
    title: 'Lyrics, song, WAV and video',
    makes: 'Lyrics, a song from them, and that song as WAV, as a video, and with the time of each word.',
    rows: [
      { row: 'words', operation: 'lyrics', prompt: 'A hopeful song about a night train that is late' },
      {
        row: 'song',
        operation: 'music',
        prompt: '{{words.result.text}}',
        title: '{{words.result.title}}',
        tags: 'indie pop|brushed drums|upright bass',
        note: RESULT_NOTE,
      },
      { row: 'song-wav', operation: 'wav', clip_id: '{{song.taskId}}' },
      { row: 'song-video', operation: 'mp4', clip_id: '{{song.taskId}}' },
      { row: 'song-timing', operation: 'timing', clip_id: '{{song.taskId}}' },
    ],
  },
  'song-in-one-voice': {
    title: 'Songs in one voice',
    makes: 'A song, a persona made from its voice, and two more songs sung by that voice.',
    rows: [
      {
        row: 'first',
        operation: 'music',
        prompt: '[Verse]\nI keep your postcard on the door\n[Chorus]\nWrite me when you reach the shore',
        tags: 'acoustic|warm alto voice',
        title: 'Postcard',
      },
      {
        row: 'voice',
        operation: 'persona',
        clip_id: '{{first.taskId}}',
        name: 'Postcard singer',
        description: 'A warm alto, close to the microphone',
        is_public: 'no',
      },
      {
        row: 'second',
        operation: 'music',
        prompt: '[Verse]\nThe kettle sings, the street is white\n[Chorus]\nLeave the kitchen light on tonight',
        tags: 'acoustic|slow',
        title: 'Kitchen Light',
        'persona.persona_id': '{{voice.result.persona_id}}',
        'persona.artist_clip_id': '{{first.taskId}}',
        note: RESULT_NOTE,
      },
      {
        row: 'third',
        operation: 'music',
        gpt_description_prompt: 'An upbeat song about a bicycle that was never stolen',
        title: 'My Bicycle',
        'persona.persona_id': '{{voice.result.persona_id}}',
        'persona.artist_clip_id': '{{first.taskId}}',
      },
    ],
  },
  'picture-to-video': {
    title: 'Picture to video',
    makes: 'A picture, and a video of each family that starts from it.',
    rows: [
      {
        row: 'picture',
        operation: 'image',
        prompt: 'A lighthouse on a cliff at dusk, heavy clouds, one warm window, oil painting',
        aspect_ratio: '16:9',
      },
      {
        row: 'video-b',
        operation: 'video-b',
        prompt: 'The lamp begins to turn, waves break slowly, the clouds move',
        imageList: '{{picture.output.1.url}}',
        aspectRatio: '16:9',
      },
      {
        row: 'video-a',
        operation: 'video-a',
        prompt: 'Slow push in towards the lit window, rain sets in',
        images: '{{picture.output.1.url}}',
        orientation: 'landscape',
        duration: '8',
      },
    ],
  },
  'upload-to-cover': {
    title: 'Your audio as a cover',
    makes: 'A clip of your own audio, two covers of it in other styles, and one of them as WAV.',
    rows: [
      {
        row: 'original',
        operation: 'upload',
        audioUrl: 'https://example.com/demo.mp3',
        note: 'Put the address of your own audio here.',
      },
      {
        row: 'jazz',
        operation: 'music',
        task: 'cover',
        clip_id: '{{original.result.clip_id}}',
        tags: 'jazz trio|late night|brushed drums',
        title: 'After Hours',
        note: '“task” is the word that your gateway has for a cover.',
      },
      {
        row: 'choir',
        operation: 'music',
        task: 'cover',
        clip_id: '{{original.result.clip_id}}',
        tags: 'a cappella choir|cathedral reverb',
        title: 'Under the Dome',
      },
      { row: 'jazz-wav', operation: 'wav', clip_id: '{{jazz.taskId}}' },
    ],
  },
  'long-song': {
    title: 'A long song in three parts',
    makes: 'A song, two continuations, and all three joined into one.',
    rows: [
      {
        row: 'part-1',
        operation: 'music',
        prompt: '[Verse]\nWe left before the street was light\n[Chorus]\nKeep the morning in your sight',
        tags: 'post-rock|slow build',
        title: 'Morning, part one',
      },
      {
        row: 'part-2',
        operation: 'music',
        task: 'extend',
        prompt: '[Verse]\nThe hills came up like sleeping whales\n[Chorus]\nKeep the morning in your sails',
        tags: 'post-rock|slow build',
        title: 'Morning, part two',
        clip_id: '{{part-1.taskId}}',
        continue_at: '90',
        note: '“task” is the word that your gateway has for continuing a clip.',
      },
      {
        row: 'part-3',
        operation: 'music',
        task: 'extend',
        prompt: '[Bridge]\nAnd nobody was waiting there\n[Outro]\nOnly morning, everywhere',
        tags: 'post-rock|full band|fading out',
        title: 'Morning, part three',
        clip_id: '{{part-2.taskId}}',
        continue_at: '90',
      },
      { row: 'whole', operation: 'concat', clip_id: '{{part-3.taskId}}' },
    ],
  },
  'rich-style': {
    title: 'A style, described well',
    makes: 'A rich description made from three words, and two songs in that style.',
    rows: [
      { row: 'style', operation: 'upsample-tags', prompt: 'nordic folk, slow, female voice' },
      {
        row: 'with-words',
        operation: 'music',
        prompt: '[Verse]\nThe fjord has put its mirrors out\n[Chorus]\nCall me home',
        tags: '{{style.result.upsampled_tags}}',
        title: 'Mirrors',
        note: RESULT_NOTE,
      },
      {
        row: 'without-words',
        operation: 'music',
        make_instrumental: 'yes',
        tags: '{{style.result.upsampled_tags}}',
        title: 'Mirrors, without words',
      },
    ],
  },
  variations: {
    title: 'Many from one prompt',
    makes: 'Six pictures from one prompt, with a custom column and a choice drawn for each row.',
    rows: ['owl', 'fox', 'hare', 'heron', 'badger', 'moth'].map((animal) => ({
      row: animal,
      operation: 'image',
      animal,
      prompt: 'A {animal} under the moon, {linocut|watercolour|paper collage}, {deep blue|warm grey} ground',
      aspect_ratio: '1:1',
    })),
  },
};
