/** Operations, their fields and families. */
export const operationsWords = {
  families: { musicgen: 'Music', 'videogen-a': 'Video A', 'videogen-b': 'Video B and images' },

  /** By their short names. Every title is also a name that a sheet may use. */
  submit: {
    music: {
      title: 'Music',
      help: 'Generates a song from a prompt, from lyrics, or from another clip.',
      example: 'Songs: from lyrics, from a description, and without a voice.',
    },
    'video-a': {
      title: 'Video A',
      help: 'Generates a video with the first video family.',
      example: 'Three short videos from words.',
    },
    'video-b': {
      title: 'Video B',
      help: 'Generates a video with the second video family.',
      example: 'Three short videos from words, in two shapes.',
    },
    persona: {
      title: 'Persona',
      help: 'Makes a persona, a voice to sing with, from a clip.',
      example: 'A song, and a voice made from it that can sing others.',
    },
    concat: {
      title: 'Concat',
      help: 'Joins the parts of a continued clip into one song.',
      example: 'A song, its continuation, and both joined.',
    },
    lyrics: {
      title: 'Lyrics',
      help: 'Writes lyrics from a prompt.',
      example: 'Three lyrics to read now and sing later.',
    },
    upload: {
      title: 'Upload',
      help: 'Gives the gateway audio by its web address, for use as a clip.',
      example: 'Clips from audio on the web.',
    },
    'upsample-tags': {
      title: 'Upsample tags',
      help: 'Turns a few words into a rich description of a style.',
      example: 'Three rich descriptions of a style from a few words.',
    },
    downbeats: {
      title: 'Downbeats',
      help: 'Finds the downbeats of a clip.',
      example: 'A song, and the times of its downbeats.',
    },
    timing: {
      title: 'Timing',
      help: 'Aligns the words of a clip in time.',
      example: 'A song, and the time of each of its words.',
    },
    wav: { title: 'WAV', help: 'Renders a clip as WAV.', example: 'A song, and the same song as WAV.' },
    mp4: { title: 'MP4', help: 'Renders a clip as a video.', example: 'A song, and the same song as a video.' },
    image: {
      title: 'Image',
      help: 'Generates images from a prompt or from other images.',
      example: 'Pictures from words, in three shapes.',
    },
  },

  /** What fields are for. */
  fields: {
    task: 'What to do, where the gateway knows several tasks, such as extending or covering a clip.',
    model: 'The model to render with.',
    instrumental: 'True for music without a voice.',
    lyricsOrPrompt: 'The lyrics or the prompt.',
    continuedLyrics: 'The lyrics of the clip that is continued.',
    infillLyrics: 'The lyrics for the part that is filled in.',
    songDescription: 'A description from which the gateway writes the song.',
    tags: 'Styles to aim for.',
    negativeTags: 'Styles to avoid.',
    songTitle: 'The title of the song.',
    clipToUse: 'The clip to continue, cover or fill in.',
    continueAt: 'Where to continue the clip; the interface states no unit, gateways take seconds.',
    range: 'The part of the clip to work on.',
    infillRange: 'The part of the clip that is listened to when filling in.',
    voice: 'The voice to sing with.',
    personaClip: 'The clip that the persona was made from.',
    persona: 'The persona.',
    controls: 'How strictly to follow what is given.',
    styleWeight: 'Weight of the style; commonly 0 to 100.',
    audioWeight: 'Weight of the given audio; commonly 0 to 100.',
    weirdness: 'How far to stray; commonly 0 to 100.',
    vocalGender: 'The gender of the voice.',
    clip: 'The clip to work on: the id that the gateway gave it.',
    start: 'Start, in seconds.',
    end: 'End, in seconds; after the start.',
    videoPrompt: 'What the video shows.',
    images: 'Images to start from, as web addresses.',
    orientation: 'The orientation of the picture.',
    size: 'The size of the picture.',
    duration: 'The length; gateways take seconds.',
    removeWatermark: 'True for a video without a watermark.',
    edit: 'The edit to continue from.',
    action: 'What to do, where the gateway knows several actions.',
    video: 'The video to work on.',
    aspectRatio: 'Width to height, such as 16:9.',
    translation: 'True to have the prompt translated first.',
    isPublic: 'True to let others use it.',
    personaName: 'The name of the persona.',
    personaDescription: 'What the persona is like.',
    personaPicture: 'Its picture: the id that the gateway gave it.',
    isInfill: 'True when the clip was filled in, not continued.',
    project: 'The project of the clip.',
    editSession: 'The edit session of the clip.',
    lyricsModel: 'The model to write with.',
    lyricsPrompt: 'What the lyrics are about.',
    audioAddresses: 'Web addresses of the audio.',
    styleWords: 'The words that describe the style.',
    imagePrompt: 'What the image shows.',
    imageCount: 'How many images.',
    resolution: 'The resolution of the image.',
  },

  /** Templates of rows that wait for each other. */
  chains: {
    'lyrics-to-song': {
      title: 'Lyrics, song, WAV and video',
      makes: 'Lyrics, a song from them, and that song as WAV, as a video, and with the time of each word.',
    },
    'song-in-one-voice': {
      title: 'Songs in one voice',
      makes: 'A song, a persona made from its voice, and two more songs sung by that voice.',
    },
    'picture-to-video': {
      title: 'Picture to video',
      makes: 'A picture, and a video of each family that starts from it.',
    },
    'upload-to-cover': {
      title: 'Your audio as a cover',
      makes: 'A clip of your own audio, two covers of it in other styles, and one of them as WAV.',
    },
    'long-song': {
      title: 'A long song in three parts',
      makes: 'A song, two continuations, and all three joined into one.',
    },
    'rich-style': {
      title: 'A style, described well',
      makes: 'A rich description made from three words, and two songs in that style.',
    },
    variations: {
      title: 'Many from one prompt',
      makes: 'Six pictures from one prompt, with a custom column and a choice drawn for each row.',
    },
  },
  emptySheet: { title: 'Empty sheet', makes: 'A sheet without rows. Add the columns that you need.' },
};
export type OperationsWords = typeof operationsWords;
