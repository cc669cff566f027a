/**
 * The operation catalogue: every submit and result operation of the gateway with every field, once, as data.
 * Validation, grid columns, command-line help, the built-in gateway and docs/operations.md are derived from it. Source:
 * the interface specification, sections 2.3, 2.4, 4.1 and 4.2. The interface requires no field (2.6), so neither do we.
 */

import { foldName } from '../base/nearest-name.ts';

/** The operations of a family share limits and a result operation: the family is the first path segment. */
export const FAMILIES = ['musicgen', 'videogen-a', 'videogen-b'] as const;
export type Family = (typeof FAMILIES)[number];

/** Families by their purpose, with the interface's own words beside it if there is room. */
export const FAMILY_NAMES: Readonly<Record<Family, string>> = {
  musicgen: 'Music',
  'videogen-a': 'Video A',
  'videogen-b': 'Video B and images',
};

/** JSON type of a leaf field. `int32` and `integer` are whole numbers, `int32` bounded to 32 bits. */
export type LeafType = 'string' | 'boolean' | 'int32' | 'integer' | 'number' | 'string[]';

/** What a field's text is about: chooses the editor, the help, and which checks apply. */
export type FieldRole = 'prompt' | 'text' | 'choice' | 'reference' | 'url' | 'setting';

/** What a gateway fetches from an address that it is given. */
export type AddressedMedia = 'image' | 'audio';

export interface LeafField {
  readonly kind: 'leaf';
  readonly name: string;
  readonly type: LeafType;
  readonly role: FieldRole;
  readonly help: string;
  /** What is behind its addresses, for a field of addresses. */
  readonly media?: AddressedMedia;
}

export interface ObjectField {
  readonly kind: 'object';
  readonly name: string;
  readonly help: string;
  readonly fields: readonly LeafField[];
}

export type Field = LeafField | ObjectField;

/** Where the media folder keeps finished outputs of an operation; `data` is for results that are JSON, not media. */
export type OutputKind = 'music' | 'video' | 'image' | 'data';

export interface Operation<Path = OperationPath> {
  /** The path without its first slash; the operation's name everywhere. */
  readonly path: Path;
  /** The short name that a sheet may use. */
  readonly short: string;
  readonly family: Family;
  readonly title: string;
  readonly help: string;
  readonly output: OutputKind;
  readonly fields: readonly Field[];
  /**
   * Fields of which at least one must be given for the operation to make sense. The interface requires nothing (2.6);
   * we refuse a row without any of them because the user would pay for nothing.
   */
  readonly senseFields: readonly string[];
}

/** A GET operation that returns a task record (interface 4.2). */
export interface ResultOperation {
  readonly path: string;
  readonly family: Family;
  /** The record's field that carries media (interface 2.3). */
  readonly mediaField: 'musicUrl' | 'videoUrl';
}

export const RESULT_OPERATIONS: readonly ResultOperation[] = [
  { path: 'musicgen/result', family: 'musicgen', mediaField: 'musicUrl' },
  { path: 'videogen-a/video/result', family: 'videogen-a', mediaField: 'videoUrl' },
  { path: 'videogen-b/result', family: 'videogen-b', mediaField: 'videoUrl' },
];

function leaf(name: string, type: LeafType, role: FieldRole, help: string): LeafField {
  return { kind: 'leaf', name, type, role, help };
}

function addresses(name: string, media: AddressedMedia, help: string): LeafField {
  return { ...leaf(name, 'string[]', 'url', help), media };
}

const CLIP_ID = leaf('clip_id', 'string', 'reference', 'The clip to work on: the id that the gateway gave it.');

/** Interface 2.4: Range and InfillContextRange have the same two fields. */
const RANGE_FIELDS: readonly LeafField[] = [
  leaf('start_s', 'int32', 'setting', 'Start, in seconds.'),
  leaf('end_s', 'int32', 'setting', 'End, in seconds; after the start.'),
];

const CLIP_ONLY = { family: 'musicgen', fields: [CLIP_ID], senseFields: ['clip_id'] } as const;

/** All 13 submit operations, in the order of the interface (4.1). */
const CATALOGUE = [
  {
    path: 'musicgen/music/generate',
    short: 'music',
    family: 'musicgen',
    title: 'Music',
    help: 'Generates a song from a prompt, from lyrics, or from another clip.',
    output: 'music',
    senseFields: [
      'prompt',
      'gpt_description_prompt',
      'tags',
      'infill_lyrics',
      'continued_aligned_prompt',
      'clip_id',
      'title',
    ],
    fields: [
      leaf(
        'task',
        'string',
        'choice',
        'What to do, where the gateway knows several tasks, such as extending or covering a clip.',
      ),
      leaf('model', 'string', 'choice', 'The model to render with.'),
      leaf('make_instrumental', 'boolean', 'setting', 'True for music without a voice.'),
      leaf('prompt', 'string', 'prompt', 'The lyrics or the prompt.'),
      leaf('continued_aligned_prompt', 'string', 'prompt', 'The lyrics of the clip that is continued.'),
      leaf('infill_lyrics', 'string', 'prompt', 'The lyrics for the part that is filled in.'),
      leaf('gpt_description_prompt', 'string', 'prompt', 'A description from which the gateway writes the song.'),
      leaf('tags', 'string[]', 'text', 'Styles to aim for.'),
      leaf('negative_tags', 'string[]', 'text', 'Styles to avoid.'),
      leaf('title', 'string', 'text', 'The title of the song.'),
      leaf('clip_id', 'string', 'reference', 'The clip to continue, cover or fill in.'),
      leaf(
        'continue_at',
        'int32',
        'setting',
        'Where to continue the clip; the interface states no unit, gateways take seconds.',
      ),
      { kind: 'object', name: 'range', help: 'The part of the clip to work on.', fields: RANGE_FIELDS },
      {
        kind: 'object',
        name: 'infill_context_range',
        help: 'The part of the clip that is listened to when filling in.',
        fields: RANGE_FIELDS,
      },
      {
        kind: 'object',
        name: 'persona',
        help: 'The voice to sing with.',
        fields: [
          leaf('artist_clip_id', 'string', 'reference', 'The clip that the persona was made from.'),
          leaf('persona_id', 'string', 'reference', 'The persona.'),
        ],
      },
      {
        kind: 'object',
        name: 'controls',
        help: 'How strictly to follow what is given.',
        fields: [
          leaf('style_weight', 'int32', 'setting', 'Weight of the style; commonly 0 to 100.'),
          leaf('audio_weight', 'int32', 'setting', 'Weight of the given audio; commonly 0 to 100.'),
          leaf('weirdness_constraint', 'int32', 'setting', 'How far to stray; commonly 0 to 100.'),
        ],
      },
      leaf('vocal_gender', 'string', 'choice', 'The gender of the voice.'),
    ],
  },
  {
    path: 'videogen-a/video/generate',
    short: 'video-a',
    family: 'videogen-a',
    title: 'Video A',
    help: 'Generates a video with the first video family.',
    output: 'video',
    senseFields: ['prompt', 'images', 'editId'],
    fields: [
      leaf('model', 'string', 'choice', 'The model to render with.'),
      leaf('prompt', 'string', 'prompt', 'What the video shows.'),
      addresses('images', 'image', 'Images to start from, as web addresses.'),
      leaf('orientation', 'string', 'choice', 'The orientation of the picture.'),
      leaf('size', 'string', 'choice', 'The size of the picture.'),
      leaf('duration', 'number', 'setting', 'The length; gateways take seconds.'),
      leaf('removeWatermark', 'boolean', 'setting', 'True for a video without a watermark.'),
      leaf('editId', 'string', 'reference', 'The edit to continue from.'),
    ],
  },
  {
    path: 'videogen-b/video/generate',
    short: 'video-b',
    family: 'videogen-b',
    title: 'Video B',
    help: 'Generates a video with the second video family.',
    output: 'video',
    senseFields: ['prompt', 'imageList', 'videoId'],
    fields: [
      leaf('prompt', 'string', 'prompt', 'What the video shows.'),
      leaf('action', 'string', 'choice', 'What to do, where the gateway knows several actions.'),
      leaf('model', 'string', 'choice', 'The model to render with.'),
      leaf('videoId', 'string', 'reference', 'The video to work on.'),
      addresses('imageList', 'image', 'Images to start from, as web addresses.'),
      leaf('aspectRatio', 'string', 'choice', 'Width to height, such as 16:9.'),
      leaf('translation', 'boolean', 'setting', 'True to have the prompt translated first.'),
    ],
  },
  {
    path: 'musicgen/music/persona',
    short: 'persona',
    family: 'musicgen',
    title: 'Persona',
    help: 'Makes a persona, a voice to sing with, from a clip.',
    output: 'data',
    senseFields: ['clip_id'],
    fields: [
      CLIP_ID,
      leaf('is_public', 'boolean', 'setting', 'True to let others use it.'),
      leaf('name', 'string', 'text', 'The name of the persona.'),
      leaf('description', 'string', 'text', 'What the persona is like.'),
      leaf('image_store_id', 'string', 'reference', 'Its picture: the id that the gateway gave it.'),
    ],
  },
  {
    path: 'musicgen/music/concat',
    short: 'concat',
    family: 'musicgen',
    title: 'Concat',
    help: 'Joins the parts of a continued clip into one song.',
    output: 'music',
    senseFields: ['clip_id', 'project_id', 'edit_session_id'],
    fields: [
      CLIP_ID,
      leaf('is_infill', 'boolean', 'setting', 'True when the clip was filled in, not continued.'),
      leaf('project_id', 'string', 'reference', 'The project of the clip.'),
      leaf('edit_session_id', 'string', 'reference', 'The edit session of the clip.'),
    ],
  },
  {
    path: 'musicgen/music/lyrics',
    short: 'lyrics',
    family: 'musicgen',
    title: 'Lyrics',
    help: 'Writes lyrics from a prompt.',
    output: 'data',
    senseFields: ['prompt'],
    fields: [
      leaf('lyrics_model', 'string', 'choice', 'The model to write with.'),
      leaf('prompt', 'string', 'prompt', 'What the lyrics are about.'),
    ],
  },
  {
    path: 'musicgen/music/upload',
    short: 'upload',
    family: 'musicgen',
    title: 'Upload',
    help: 'Gives the gateway audio by its web address, for use as a clip.',
    output: 'data',
    senseFields: ['audioUrl'],
    fields: [addresses('audioUrl', 'audio', 'Web addresses of the audio.')],
  },
  {
    path: 'musicgen/music/upsampleTags',
    short: 'upsample-tags',
    family: 'musicgen',
    title: 'Upsample tags',
    help: 'Turns a few words into a rich description of a style.',
    output: 'data',
    senseFields: ['prompt'],
    fields: [leaf('prompt', 'string', 'prompt', 'The words that describe the style.')],
  },
  {
    ...CLIP_ONLY,
    path: 'musicgen/music/downbeats',
    short: 'downbeats',
    title: 'Downbeats',
    help: 'Finds the downbeats of a clip.',
    output: 'data',
  },
  {
    ...CLIP_ONLY,
    path: 'musicgen/music/timing',
    short: 'timing',
    title: 'Timing',
    help: 'Aligns the words of a clip in time.',
    output: 'data',
  },
  {
    ...CLIP_ONLY,
    path: 'musicgen/music/wav',
    short: 'wav',
    title: 'WAV',
    help: 'Renders a clip as WAV.',
    output: 'music',
  },
  {
    ...CLIP_ONLY,
    path: 'musicgen/music/mp4',
    short: 'mp4',
    title: 'MP4',
    help: 'Renders a clip as a video.',
    output: 'video',
  },
  {
    path: 'videogen-b/image/generate',
    short: 'image',
    family: 'videogen-b',
    title: 'Image',
    help: 'Generates images from a prompt or from other images.',
    output: 'image',
    senseFields: ['prompt', 'image_urls'],
    fields: [
      leaf('prompt', 'string', 'prompt', 'What the image shows.'),
      leaf('action', 'string', 'choice', 'What to do, where the gateway knows several actions.'),
      leaf('num_images', 'integer', 'setting', 'How many images.'),
      addresses('image_urls', 'image', 'Images to start from, as web addresses.'),
      leaf('aspect_ratio', 'string', 'choice', 'Width to height, such as 16:9.'),
      leaf('model', 'string', 'choice', 'The model to render with.'),
      leaf('resolution', 'string', 'choice', 'The resolution of the image.'),
    ],
  },
] as const satisfies readonly Operation<string>[];

export type OperationPath = (typeof CATALOGUE)[number]['path'];
export const OPERATIONS: readonly Operation[] = CATALOGUE;
export const OPERATION_PATHS: readonly OperationPath[] = OPERATIONS.map(({ path }) => path);

const BY_NAME: ReadonlyMap<string, Operation> = new Map(
  OPERATIONS.flatMap((operation) =>
    [operation.path, operation.short, operation.title].map((name) => [foldName(name), operation] as const),
  ),
);

/**
 * The operation with this path, short name or title, as a sheet writes it: every name that the application shows works,
 * and case, a first slash, spaces and hyphens do not matter.
 */
export function findOperation(name: string): Operation | undefined {
  return BY_NAME.get(foldName(name.trim().replace(/^\//, '')));
}

const BY_PATH: ReadonlyMap<OperationPath, Operation> = new Map(
  OPERATIONS.map((operation) => [operation.path, operation]),
);

/** The catalogue entry of a known operation. */
export function operationOf(path: OperationPath): Operation {
  const operation = BY_PATH.get(path);
  if (!operation) throw new Error(`Operation missing from the catalogue: ${path}`);
  return operation;
}

/** A leaf field with the dotted name of its column (`range.start_s`). */
export interface Column {
  readonly column: string;
  /** The name of the enclosing object in the request body, if there is one. */
  readonly object?: string;
  readonly field: LeafField;
}

/** All columns that an operation understands, in the order of the interface. */
export function columnsOf(operation: Operation): readonly Column[] {
  return operation.fields.flatMap((field): Column[] =>
    field.kind === 'leaf'
      ? [{ column: field.name, field }]
      : field.fields.map((inner) => ({ column: `${field.name}.${inner.name}`, object: field.name, field: inner })),
  );
}

/** Every column that at least one operation understands. */
export const ALL_COLUMNS: ReadonlySet<string> = new Set(OPERATIONS.flatMap((o) => columnsOf(o).map((c) => c.column)));
