import { countOf, countText } from '../../domain/base/text.ts';

const ASKED_OTHERWISE = 'If you cannot use it, render the row again, or correct what the row asks for.';

/** Operations, their fields and families; gates; and what is known about a gateway. */
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
    continueAt: 'Where to continue the clip; the interface states no unit, but gateways take seconds.',
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

  /** What gates look for in a file. In a rule, `N` stands for the gate’s value; it follows “if” or “when”. */
  gates: {
    decodes: {
      title: 'Decodes to its end',
      rule: 'its decoder gives up before the end, or finds more than N damaged places',
      remedy: 'Play it to its end. If it is damaged, render the row again.',
    },
    tiny: {
      title: 'Hardly any bytes',
      rule: 'it has fewer than N bytes',
      remedy: 'Look or listen: a file as small as this rarely holds anything. If so, render the row again.',
    },
    short: {
      title: 'Very short',
      rule: 'it is shorter than N seconds',
      remedy: 'Listen or watch: if something is missing, render the row again.',
    },
    length: {
      title: 'Length as asked for',
      rule: 'its length differs by more than N % (and half a second) from the `duration` that the row asks for',
      remedy: ASKED_OTHERWISE,
    },
    aspect: {
      title: 'Shape as asked for',
      rule: 'its width to height differs by more than N % from the aspect, size or orientation that the row asks for',
      remedy: ASKED_OTHERWISE,
    },
    resolution: {
      title: 'Resolution as asked for',
      rule: 'its shorter side is more than N % smaller than the size or resolution that the row asks for',
      remedy: ASKED_OTHERWISE,
    },
    silence: {
      title: 'Silence',
      rule: 'more than N % of its sound is silence (below -50 dB for half a second or longer)',
      remedy: 'Listen: if the silence is not meant, render the row again.',
    },
    quiet: {
      title: 'Too quiet',
      rule: 'its loudness by EBU R128 is below N LUFS',
      remedy: 'Listen: if it is too quiet to use, render the row again.',
    },
    loud: {
      title: 'Too loud',
      rule: 'its loudness by EBU R128 is above N LUFS',
      remedy: 'Listen for distortion: if there is any, render the row again.',
    },
    clipping: {
      title: 'Clipping',
      rule: 'more than N % of its samples are cut off at full level',
      remedy: 'Listen for distortion: if there is any, render the row again.',
    },
    black: {
      title: 'Black picture',
      rule: 'its picture is black for more than N % of its length; of an image, more than N % of it',
      remedy: 'Look at it: if the black is not meant, render the row again.',
    },
    frozen: {
      title: 'Frozen picture',
      rule: 'its picture stands still for more than N % of its length; not for `mp4`, which shows the cover of a song',
      remedy: 'Watch it: if it should move, render the row again.',
    },
    blur: {
      title: 'Blur',
      rule: 'its edges are wider than N on average, as ffmpeg’s blurdetect measures it on a picture of at most 640 pixels',
      remedy: 'Look at it in full size: if it is out of focus and should not be, render the row again.',
    },
    twin: {
      title: 'Another take looks or sounds the same',
      rule: 'another take of its row has the same bytes, or a picture that differs by less than N %',
      remedy: 'Compare the two: if they should differ, render one of them again.',
    },
  },
  /** Why gates could not look. */
  unchecked: {
    'no-ffmpeg': 'not checked: ffmpeg is not installed',
    elsewhere: 'not checked: the file is not on this computer’s disks',
    missing: 'not checked: the file is not there',
    late: 'not checked: measuring it took too long',
    large: 'not checked: its picture is larger than 8K',
    failed: 'not checked: ffmpeg could not be run',
  },
  /** @param range With the gate’s unit. */
  noGateValue: (written: string, gate: string, range: { least: number; most: string; usual: number }) => ({
    message: `${written} is not a value for the gate ${gate}.`,
    remedy: `Give a number from ${range.least} to ${range.most}; ${range.usual} is usual.`,
  }),

  /** What a test of the connection to a gateway has shown, and what to do about it. */
  connection: {
    results: {
      works: { title: 'The connection works', advice: 'The gateway answers and accepts the key. Nothing was paid.' },
      'key-missing': {
        title: 'A gateway answers here',
        advice: 'Enter its key, then test again to see whether it is accepted.',
      },
      'key-rejected': {
        title: 'The gateway rejects the key',
        advice: 'Copy the key again. It must belong to this gateway and still be valid.',
      },
      'path-unclear': {
        title: 'A gateway answers, but with 404',
        advice:
          'That may mean a wrong path in the base URL, or only that it does not know the task that this test makes up. Compare the base URL with what your gateway states. Nothing was paid.',
      },
      'wrong-path': {
        title: 'The gateway answers, but does not know this path',
        advice: 'Check the base URL, above all its path: the base URL is everything before /musicgen and /videogen-b.',
      },
      unclear: {
        title: 'Something answers, but with an error',
        advice: 'The address may be right. Test again in a few minutes.',
      },
      'not-a-gateway': {
        title: 'This is not a gateway that Nocturne understands',
        advice: 'Check the base URL, above all its path: the base URL is everything before /musicgen and /videogen-b.',
      },
    },
    unreachable: {
      title: 'The gateway cannot be reached',
      advice: {
        name: 'Its name is not known to the network. Check the spelling, and whether this machine is online.',
        refused: 'Nothing listens at that address and port. Check the port, and whether the gateway runs.',
        certificate:
          'Its certificate does not prove that it is this gateway, so no key was sent. Check the address, the clock of this machine, and whether there is a proxy in between.',
        'no-answer': 'No answer came in time. Check the address, and whether there is a firewall in between.',
        other: 'Check the address and the network.',
      },
    },
  },

  /** The shape of an answer in one line: `submit, HTTP 200, code 200: accepted`. */
  answers: {
    submit: 'submit',
    /** @param name That of the parameter with the task code; undefined if the code was in the path. */
    poll: (name: string | undefined): string => `poll (${name ?? 'in the path'})`,
    noContentType: 'no content type',
    code: (code: string): string => `code ${code}`,
    foundAt: (place: string): string => `found at ${place}`,
    line: (parts: readonly string[], end: string): string => `${parts.join(', ')}: ${end}`,
    ends: {
      accepted: 'accepted',
      'rate-limited': 'refused for now',
      held: 'refused for the whole night',
      rejected: 'refused',
      unknown: 'unknown',
      running: 'still rendering',
      rendered: 'rendered',
      data: 'a result',
      failed: 'failed',
      'poll-error': 'no record',
      pause: 'refused for the whole night',
    },
  },
  /** What was measured at a gateway; `at` is the header or the field that said so. */
  measures: {
    'retry-after': (range: string, at: string): string => `asked to wait ${range} s (${at})`,
    'rate-limit': (range: string, at: string): string =>
      `allows ${range} requests, without saying for how long (${at})`,
    'rate-per-second': (range: string, at: string): string => `allows ${range} requests a second (${at})`,
    'accepted-active': (range: string): string => `accepted a paid request with ${range} tasks at the gateway`,
    'refused-active': (range: string): string =>
      `refused a paid request because of its rate limit with ${range} tasks at the gateway`,
    'submit-seconds': (range: string): string => `answered a paid request after ${range} s`,
    cost: (range: string, at: string): string => `named a cost of ${range} (${at})`,
    balance: (range: string, at: string): string => `named a balance of ${range} (${at})`,
  },
  /** Why a setting of a profile is proposed. */
  proposals: {
    noSetting: { message: 'There is no such setting.', remedy: 'Look at the proposals again.' },
    failed: (tasks: number, family: string, status: string): string =>
      `${countOf(tasks, 'task')} (${family}) ended with status “${status}” and without a file; none ever gave one.`,
    succeeded: (tasks: number, family: string, status: string): string =>
      `${countOf(tasks, 'task')} (${family}) had a result with status “${status}”; none with that status was still rendering or had failed.`,
    /** @param name That of the parameter in the query; undefined if the code was the end of the path. */
    taskCode: (answers: number, name: string | undefined): string =>
      `${countOf(answers, 'answer')} had a record when the task code was passed ${name === undefined ? 'as the end of the path' : `as “${name}” in the query`}; no other way gave one.`,
    okCodes: (answers: number, codes: readonly string[], others: readonly string[]): string =>
      `${countOf(answers, 'successful answer')} had the code ${codes.join(' or ')}; refusals had ${others.length === 0 ? 'none' : others.join(', ')}, although their HTTP status was 200.`,
    rate: (headers: readonly string[], answers: number): string =>
      `Its answers say so: ${headers.join(', ')} in ${countOf(answers, 'answer')}.`,
    active: (refused: number, family: string, least: number, most: number): string =>
      `${countOf(refused, 'paid request')} (${family}) ${refused === 1 ? 'was' : 'were'} refused because of the rate limit with ${least} or more tasks at the gateway; it never accepted one with more than ${most}.`,
    slowSubmit: (took: string, deadline: string): string =>
      `An answer to a paid request took ${took} s. After ${deadline} s, its outcome would have been unknown.`,
    longTask: (hours: string, deadline: string): string =>
      `A rendering took ${hours} h; after ${deadline} h a task counts as overdue.`,
    costAt: (answers: number, at: string): string =>
      `${countOf(answers, 'answer')} had a number at ${at}. If that is what the call cost, the ledger can show what was really spent.`,
    price: (answers: number, range: string): string =>
      `${countOf(answers, 'answer')} said what it cost: ${range}. The highest is proposed, so that a limit holds.`,
    range: (least: string, most: string): string => `${least} to ${most}`,
  },

  /** Keys, tokens and secrets as they are typed. */
  secret: {
    keyEmpty: 'The key is empty.',
    keyCharacters: 'The key contains spaces or characters that a header cannot carry.',
    keyLong: (most: number): string => `The key is longer than ${countText(most)} characters.`,
    keyShort: (least: number): string =>
      `The key is shorter than ${least} characters: it could not be kept out of files and logs.`,
    keyEscapes:
      'The key consists almost entirely of escapes (%41, \\x41, &amp;): it could not be kept out of files and logs.',
    token: 'An access token is one word of printable ASCII characters.',
    signing: 'A signing secret is whsec_ and 24 to 64 bytes in base64, as the Standard Webhooks specification has it.',
  },

  /** Files of this computer, in a place where a gateway can read them. */
  files: {
    noneThere: 'the workers of a store on a server do not have its files.',
    put: (
      place: string,
      {
        left,
        deleted,
        notOurs,
        problems,
      }: { left: number; deleted: number; notOurs: number; problems: readonly unknown[] },
    ): string => {
      const parts = [
        `${countText(deleted)} deleted`,
        ...(left === 0
          ? []
          : [
              `${countText(left)} still there${problems.length === 0 ? ` until no row can need ${left === 1 ? 'it' : 'them'}` : ''}`,
            ]),
        ...(notOurs === 0 ? [] : [`${countText(notOurs)} left alone, because they are not Nocturne’s to delete`]),
      ];
      return `Files put at ${place}: ${parts.join(', ')}.`;
    },
  },

  /** Templates for the folders and names of files; names are in braces. */
  template: {
    tooLong: (most: number): string => `It is longer than ${countText(most)} characters.`,
    deep: (folders: number, most: number): string =>
      `It has ${folders} folders, one inside another; at most ${most} are made.`,
    /** @param at Where, in characters from 1. */
    lone: (brace: string, at: number): string =>
      `“${brace}” at character ${countText(at)} stands alone: braces are only for a name, such as {row}.`,
    /** @param known What `names` says. */
    noName: (written: string, at: number, meant: string | undefined, known: string): string =>
      `There is no name ${written}, at character ${countText(at)}.${meant === undefined ? '' : ` Did you mean ${meant}?`} ${known}`,
    names: (own: readonly string[], columns: readonly string[], more: number): string =>
      `Names: ${own.join(', ')}${columns.length === 0 ? '' : `; columns: ${columns.join(', ')}${more > 0 ? ` and ${countText(more)} more` : ''}`}.`,
  },
};
export type OperationsWords = typeof operationsWords;
