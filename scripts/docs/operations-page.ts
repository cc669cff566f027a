import { OPERATIONS, RESULT_OPERATIONS, columnsOf } from '../../src/shared/domain/operations/operations.ts';
import { table } from './markdown.ts';
import type { Column, LeafType, Operation, OutputKind } from '../../src/shared/domain/operations/operations.ts';

const TYPE_NAMES: Readonly<Record<LeafType, string>> = {
  string: 'text',
  boolean: 'true or false',
  int32: 'whole number (32 bits)',
  integer: 'whole number',
  number: 'number',
  'string[]': 'list of texts',
};

const OUTPUT_NAMES: Readonly<Record<OutputKind, string>> = {
  music: 'audio files, in `music/`',
  video: 'video files, in `video/`',
  image: 'image files, in `image/`',
  data: 'a JSON document, in `data/`',
};

/** The fields of a task record (interface 2.3) that every result operation has, besides the one with the media. */
const RECORD_FIELDS: readonly (readonly [name: string, type: string, help: string])[] = [
  ['taskId', 'text', 'The task, as the gateway calls it.'],
  ['status', 'whole number', 'The state of the task; the interface leaves its values open, the profile maps them.'],
  ['message', 'text', "The gateway's own words; for operations without media often the result itself."],
  ['addTime', 'text', 'When the task was made; the format is left open.'],
  ['endTime', 'text', 'When the task ended; the format is left open.'],
];

/** The reference page of all operations, as Markdown. */
export function operationsPage(): string {
  return `${[
    '# Operations',
    'This page is generated from `src/shared/domain/operations/operations.ts` by `npm run docs`; edit the catalogue, not the page.',
    'A row of a sheet names one operation, by its path, its short name or its title (`Video A`). Every other column is a field under the ' +
      'name below; the fields of an object are dotted. No field is required by the interface: a blank cell sends nothing. ' +
      'A row is refused only when none of the fields is given that the operation needs to make sense.',
    'A list is written as `one|two|three` or as a JSON array; true and false as `true`, `false`, `yes`, `no`, `1` or `0`.',
    '## Submit operations',
    table(
      ['operation', 'short name', 'family', 'fields', 'gives'],
      OPERATIONS.map((operation) => [
        `[\`${operation.path}\`](#${anchorOf(operation)})`,
        code(operation.short),
        code(operation.family),
        String(columnsOf(operation).length),
        OUTPUT_NAMES[operation.output],
      ]),
    ),
    ...OPERATIONS.flatMap(operationSection),
    '## Result operations',
    'Asked with a GET for each task until it has ended; how the task code is passed is up to the profile.',
    table(
      ['operation', 'serves', 'media in'],
      RESULT_OPERATIONS.map(({ path, family, mediaField }) => [`\`GET /${path}\``, code(family), code(mediaField)]),
    ),
    'The task record of each of them:',
    table(
      ['field', 'type', 'what it is'],
      [
        ...RECORD_FIELDS.map(([name, type, help]) => [code(name), type, help]),
        ...mediaFields().map((name) => [code(name), 'text', 'Where the outputs are: one URL or several, or JSON.']),
      ],
    ),
  ].join('\n\n')}\n`;
}

function operationSection(operation: Operation): readonly string[] {
  return [
    `### ${operation.title}`,
    `\`POST /${operation.path}\` · short name \`${operation.short}\` · gives ${OUTPUT_NAMES[operation.output]}`,
    operation.help,
    `Needs at least one of: ${operation.senseFields.map(code).join(', ')}.`,
    table(['column', 'type', 'what it is'], columnsOf(operation).map(columnRow)),
  ];
}

function columnRow({ column, field }: Column): readonly string[] {
  return [code(column), TYPE_NAMES[field.type], field.help];
}

function mediaFields(): readonly string[] {
  return [...new Set(RESULT_OPERATIONS.map(({ mediaField }) => mediaField))];
}

function anchorOf(operation: Operation): string {
  return operation.title.toLowerCase().replaceAll(' ', '-');
}

function code(text: string): string {
  return `\`${text}\``;
}
