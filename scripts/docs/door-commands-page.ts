import { z } from 'zod';
import type { DoorCommand } from '../../src/cli/doors/door-command.ts';
import { DOOR_COMMANDS } from '../../src/cli/doors/door-commands.ts';
import { openApiDocument } from '../../src/cli/doors/http/openapi.ts';
import { table } from './markdown.ts';

/** The reference page of the commands for other programs, as Markdown. */
export function doorCommandsPage(): string {
  return `${[
    '# Commands for other programs',
    'This page is generated from `src/cli/doors/door-commands.ts` by `npm run docs`; edit the commands, not the page. How to use them: [Other programs](other-programs.md).',
    'Over HTTP each is `POST /v1/NAME` with its input as JSON; for an assistant each is a tool. What they answer is in [openapi.json](openapi.json).',
    table(
      ['command', 'effect', 'what it is'],
      DOOR_COMMANDS.map(({ name, effect, title }) => [`[\`${name}\`](#${name})`, effect, title]),
    ),
    ...DOOR_COMMANDS.flatMap(section),
  ].join('\n\n')}\n`;
}

/** The OpenAPI document as a file. */
export function openApiPage(): string {
  return `${JSON.stringify(openApiDocument(DOOR_COMMANDS), undefined, 1)}\n`;
}

function section({ name, description, input }: DoorCommand): readonly string[] {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input' });
  const fields = Object.entries(properties).map(([field, schema]) => {
    const { type, enum: values, description: words = '' } = typeof schema === 'object' ? schema : {};
    const kind = values === undefined ? String(type ?? '') : values.map((value) => `\`${String(value)}\``).join(', ');
    return [`\`${field}\`${required.includes(field) ? ' (required)' : ''}`, kind, words];
  });
  return [`## ${name}`, description, ...(fields.length === 0 ? [] : [table(['field', 'type', 'meaning'], fields)])];
}
