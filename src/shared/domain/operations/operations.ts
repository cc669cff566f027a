/**
 * The operation catalogue: every submit and result operation of the gateway with every field, once, as data.
 * Validation, grid columns, command-line help, the built-in gateway and docs/operations.md are derived from it. Source:
 * the interface specification, sections 2.3, 2.4, 4.1 and 4.2. The interface requires no field (2.6), so neither do we.
 */

import everyday from '../../../../resources/tables/operation-words.json' with { type: 'json' };
import { operationsWords, type OperationsWords } from '../../words/en/operations.ts';
import { domainWords } from '../../words/domain-words.ts';
import { operationsZh } from '../../words/zh/operations.ts';
import { editDistance, foldName } from '../base/nearest-name.ts';

/** The operations of a family share limits and a result operation: the family is the first path segment. */
export const FAMILIES = ['musicgen', 'videogen-a', 'videogen-b'] as const;
export type Family = (typeof FAMILIES)[number];

/** Families by their purpose, with the interface's own words beside it if there is room. */
export const FAMILY_NAMES: Readonly<Record<Family, string>> = {
  get musicgen() {
    return domainWords.operations.families.musicgen;
  },
  get 'videogen-a'() {
    return domainWords.operations.families['videogen-a'];
  },
  get 'videogen-b'() {
    return domainWords.operations.families['videogen-b'];
  },
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
  /** What its addresses lead to, for a field of addresses. */
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

type ShortName = keyof OperationsWords['submit'];
type FieldHelp = keyof OperationsWords['fields'];

export interface Operation<Path = OperationPath> {
  /** The path without its first slash; the operation's name everywhere. */
  readonly path: Path;
  /** The short name that a sheet may use. */
  readonly short: ShortName;
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

function leaf(name: string, type: LeafType, role: FieldRole, about: FieldHelp, media?: AddressedMedia): LeafField {
  return {
    kind: 'leaf',
    name,
    type,
    role,
    ...(media === undefined ? {} : { media }),
    get help() {
      return domainWords.operations.fields[about];
    },
  };
}

function addresses(name: string, media: AddressedMedia, about: FieldHelp): LeafField {
  return leaf(name, 'string[]', 'url', about, media);
}

function objectField(name: string, about: FieldHelp, fields: readonly LeafField[]): ObjectField {
  return {
    kind: 'object',
    name,
    fields,
    get help() {
      return domainWords.operations.fields[about];
    },
  };
}

const CLIP_ID = leaf('clip_id', 'string', 'reference', 'clip');

/** Interface 2.4: Range and InfillContextRange have the same two fields. */
const RANGE_FIELDS: readonly LeafField[] = [
  leaf('start_s', 'int32', 'setting', 'start'),
  leaf('end_s', 'int32', 'setting', 'end'),
];

const CLIP_ONLY = { family: 'musicgen', fields: [CLIP_ID], senseFields: ['clip_id'] } as const;

/** All 13 submit operations, in the order of the interface (4.1). */
const CATALOGUE = [
  {
    path: 'musicgen/music/generate',
    short: 'music',
    family: 'musicgen',
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
      leaf('task', 'string', 'choice', 'task'),
      leaf('model', 'string', 'choice', 'model'),
      leaf('make_instrumental', 'boolean', 'setting', 'instrumental'),
      leaf('prompt', 'string', 'prompt', 'lyricsOrPrompt'),
      leaf('continued_aligned_prompt', 'string', 'prompt', 'continuedLyrics'),
      leaf('infill_lyrics', 'string', 'prompt', 'infillLyrics'),
      leaf('gpt_description_prompt', 'string', 'prompt', 'songDescription'),
      leaf('tags', 'string[]', 'text', 'tags'),
      leaf('negative_tags', 'string[]', 'text', 'negativeTags'),
      leaf('title', 'string', 'text', 'songTitle'),
      leaf('clip_id', 'string', 'reference', 'clipToUse'),
      leaf('continue_at', 'int32', 'setting', 'continueAt'),
      objectField('range', 'range', RANGE_FIELDS),
      objectField('infill_context_range', 'infillRange', RANGE_FIELDS),
      objectField('persona', 'voice', [
        leaf('artist_clip_id', 'string', 'reference', 'personaClip'),
        leaf('persona_id', 'string', 'reference', 'persona'),
      ]),
      objectField('controls', 'controls', [
        leaf('style_weight', 'int32', 'setting', 'styleWeight'),
        leaf('audio_weight', 'int32', 'setting', 'audioWeight'),
        leaf('weirdness_constraint', 'int32', 'setting', 'weirdness'),
      ]),
      leaf('vocal_gender', 'string', 'choice', 'vocalGender'),
    ],
  },
  {
    path: 'videogen-a/video/generate',
    short: 'video-a',
    family: 'videogen-a',
    output: 'video',
    senseFields: ['prompt', 'images', 'editId'],
    fields: [
      leaf('model', 'string', 'choice', 'model'),
      leaf('prompt', 'string', 'prompt', 'videoPrompt'),
      addresses('images', 'image', 'images'),
      leaf('orientation', 'string', 'choice', 'orientation'),
      leaf('size', 'string', 'choice', 'size'),
      leaf('duration', 'number', 'setting', 'duration'),
      leaf('removeWatermark', 'boolean', 'setting', 'removeWatermark'),
      leaf('editId', 'string', 'reference', 'edit'),
    ],
  },
  {
    path: 'videogen-b/video/generate',
    short: 'video-b',
    family: 'videogen-b',
    output: 'video',
    senseFields: ['prompt', 'imageList', 'videoId'],
    fields: [
      leaf('prompt', 'string', 'prompt', 'videoPrompt'),
      leaf('action', 'string', 'choice', 'action'),
      leaf('model', 'string', 'choice', 'model'),
      leaf('videoId', 'string', 'reference', 'video'),
      addresses('imageList', 'image', 'images'),
      leaf('aspectRatio', 'string', 'choice', 'aspectRatio'),
      leaf('translation', 'boolean', 'setting', 'translation'),
    ],
  },
  {
    path: 'musicgen/music/persona',
    short: 'persona',
    family: 'musicgen',
    output: 'data',
    senseFields: ['clip_id'],
    fields: [
      CLIP_ID,
      leaf('is_public', 'boolean', 'setting', 'isPublic'),
      leaf('name', 'string', 'text', 'personaName'),
      leaf('description', 'string', 'text', 'personaDescription'),
      leaf('image_store_id', 'string', 'reference', 'personaPicture'),
    ],
  },
  {
    path: 'musicgen/music/concat',
    short: 'concat',
    family: 'musicgen',
    output: 'music',
    senseFields: ['clip_id', 'project_id', 'edit_session_id'],
    fields: [
      CLIP_ID,
      leaf('is_infill', 'boolean', 'setting', 'isInfill'),
      leaf('project_id', 'string', 'reference', 'project'),
      leaf('edit_session_id', 'string', 'reference', 'editSession'),
    ],
  },
  {
    path: 'musicgen/music/lyrics',
    short: 'lyrics',
    family: 'musicgen',
    output: 'data',
    senseFields: ['prompt'],
    fields: [
      leaf('lyrics_model', 'string', 'choice', 'lyricsModel'),
      leaf('prompt', 'string', 'prompt', 'lyricsPrompt'),
    ],
  },
  {
    path: 'musicgen/music/upload',
    short: 'upload',
    family: 'musicgen',
    output: 'data',
    senseFields: ['audioUrl'],
    fields: [addresses('audioUrl', 'audio', 'audioAddresses')],
  },
  {
    path: 'musicgen/music/upsampleTags',
    short: 'upsample-tags',
    family: 'musicgen',
    output: 'data',
    senseFields: ['prompt'],
    fields: [leaf('prompt', 'string', 'prompt', 'styleWords')],
  },
  {
    ...CLIP_ONLY,
    path: 'musicgen/music/downbeats',
    short: 'downbeats',
    output: 'data',
  },
  {
    ...CLIP_ONLY,
    path: 'musicgen/music/timing',
    short: 'timing',
    output: 'data',
  },
  {
    ...CLIP_ONLY,
    path: 'musicgen/music/wav',
    short: 'wav',
    output: 'music',
  },
  {
    ...CLIP_ONLY,
    path: 'musicgen/music/mp4',
    short: 'mp4',
    output: 'video',
  },
  {
    path: 'videogen-b/image/generate',
    short: 'image',
    family: 'videogen-b',
    output: 'image',
    senseFields: ['prompt', 'image_urls'],
    fields: [
      leaf('prompt', 'string', 'prompt', 'imagePrompt'),
      leaf('action', 'string', 'choice', 'action'),
      leaf('num_images', 'integer', 'setting', 'imageCount'),
      addresses('image_urls', 'image', 'images'),
      leaf('aspect_ratio', 'string', 'choice', 'aspectRatio'),
      leaf('model', 'string', 'choice', 'model'),
      leaf('resolution', 'string', 'choice', 'resolution'),
    ],
  },
] as const satisfies readonly Omit<Operation<string>, 'title' | 'help'>[];

export type OperationPath = (typeof CATALOGUE)[number]['path'];
export const OPERATIONS: readonly Operation[] = CATALOGUE.map((operation) => ({
  ...operation,
  get title() {
    return domainWords.operations.submit[operation.short].title;
  },
  get help() {
    return domainWords.operations.submit[operation.short].help;
  },
}));
export const OPERATION_PATHS: readonly OperationPath[] = OPERATIONS.map(({ path }) => path);

/** What an everyday word means as an operation. */
export interface EverydayWord {
  /** The short names of the operations that it may mean. */
  readonly operations: readonly string[];
  /** The column that says the rest: the operation alone would render something else. */
  readonly column?: string;
}

const EVERYDAY: ReadonlyMap<string, EverydayWord> = new Map(
  (everyday as readonly (EverydayWord & { readonly words: readonly string[] })[]).flatMap(({ words, ...meaning }) =>
    words.map((word) => [foldName(word), meaning] as const),
  ),
);

/** The words that mean one operation and nothing else. */
const UNDERSTOOD = [...EVERYDAY].flatMap(([word, { operations, column }]) => {
  const isClear = operations.length === 1 && column === undefined;
  const meant = isClear ? OPERATIONS.find(({ short }) => short === operations[0]) : undefined;
  return meant === undefined ? [] : [[word, meant] as const];
});

const BY_NAME: ReadonlyMap<string, Operation> = new Map([
  ...UNDERSTOOD,
  ...OPERATIONS.flatMap((operation) => {
    const { path, short } = operation;
    const titles = [operationsWords, operationsZh].map(({ submit }) => submit[short].title);
    return [path, short, ...titles].map((name) => [foldName(name), operation] as const);
  }),
]);

/** What an everyday word means, in any of the languages whose headers are known; undefined for any other text. */
export function everydayWord(name: string): EverydayWord | undefined {
  return EVERYDAY.get(foldName(name.trim()));
}

/**
 * The operation with this path, short name or title, as a sheet writes it: every name that the application shows works,
 * in any of its languages, and so does an everyday word that means no other operation. Case, a first slash, spaces and
 * hyphens do not matter.
 */
export function findOperation(name: string): Operation | undefined {
  return BY_NAME.get(foldName(name.trim().replace(/^\//, '')));
}

/** Of a Chinese name, one character may be wrong: a single one would be another name. */
const MISTAKEN_CHINESE = /^\p{Script=Han}{2,8}$/u;

/** The operations, by their short names, whose Chinese names or words this one nearly is. */
export function nearlyChinese(name: string): readonly string[] {
  if (!MISTAKEN_CHINESE.test(name)) return [];
  const near = new Set(
    [...BY_NAME].flatMap(([known, { short }]) =>
      known.length === name.length && editDistance(known, name) === 1 ? [short] : [],
    ),
  );
  return OPERATIONS.flatMap(({ short }) => (near.has(short) ? [short] : []));
}

/** A shorter word is near too many others. */
const SHORTEST_MISSPELT = 4;
const LONGEST_MISSPELT = 20;

/** The operations, by their short names, of which an everyday word differs from this one by a letter. */
export function nearlyEveryday(name: string): readonly string[] {
  const wanted = foldName(name);
  if (wanted.length < SHORTEST_MISSPELT || wanted.length > LONGEST_MISSPELT) return [];
  const near = UNDERSTOOD.filter(
    ([word]) => Math.abs(word.length - wanted.length) < 2 && editDistance(word, wanted) === 1,
  );
  return [...new Set(near.map(([, { short }]) => short))];
}

const HAN = /\p{Script=Han}/u;

/** An operation as the author of this text would name it: in Chinese beside Chinese, else by its short name. */
export function asWritten(short: string, text: string): string {
  const operation = HAN.test(text) ? OPERATIONS.find((one) => one.short === short) : undefined;
  const title = operation && operationsZh.submit[operation.short].title;
  return title !== undefined && HAN.test(title) ? title : short;
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
