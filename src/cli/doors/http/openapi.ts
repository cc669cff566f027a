/** The OpenAPI document, made from the schemas that parse the requests. */
import { z } from 'zod';
import { REFUSAL_KINDS } from '../door-answer.ts';
import { EFFECT_WORDS, type DoorCommand } from '../door-command.ts';
import { doorBatch } from '../views.ts';

/** A refusal as a problem document (RFC 9457). */
const problem = z.object({
  type: z
    .enum(REFUSAL_KINDS.map((kind) => `urn:nocturne:problem:${kind}`) as [string, ...string[]])
    .or(z.literal('about:blank')),
  title: z.string(),
  status: z.int(),
  detail: z.string().describe('What is wrong, and where.'),
  remedy: z.string().describe('What to do about it.'),
  fields: z
    .array(z.object({ path: z.string(), message: z.string(), remedy: z.string() }))
    .optional()
    .describe('What is wrong in the request.'),
});

/** What an event of `/v1/events` carries. */
const changeEvent = z.object({
  batch: doorBatch,
  rows: z.array(z.string()).describe('Ids of rows that changed, 100 at most.'),
  hasMoreRows: z.boolean().describe('More rows changed than are named: ask for the page again.'),
});

/** The version of the interface, which is only ever added to. */
const VERSION = '1';

/** OpenAPI 3.1. */
export function openApiDocument(commands: readonly DoorCommand[]): object {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Nocturne',
      version: VERSION,
      description:
        'Renders a spreadsheet of prompts through an asynchronous media-generation gateway. `nocturne serve` answers on this machine alone.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:{port}', variables: { port: { default: '7447' } } }],
    security: [{ token: [] }],
    paths: {
      '/health': {
        get: {
          operationId: 'health',
          summary: 'Whether the server answers',
          security: [],
          responses: { 200: json('It does.', z.object({ status: z.literal('ok') })), default: refused() },
        },
      },
      '/openapi.json': {
        get: {
          operationId: 'openapi',
          summary: 'This document',
          responses: { 200: json('This document.', z.looseObject({})), default: refused() },
        },
      },
      ...Object.fromEntries(commands.map((command) => [`/v1/${command.name}`, { post: operationOf(command) }])),
      '/v1/files/{id}': {
        get: {
          operationId: 'get_file',
          summary: 'A file of a batch',
          description: 'The bytes of a verified file, by the id that list_files gives.',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
          responses: {
            200: {
              description: 'The file.',
              content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
            },
            default: refused(),
          },
        },
      },
      '/v1/events': {
        get: {
          operationId: 'events',
          summary: 'What changes, as server-sent events',
          description:
            'An event “batch” for each batch that changed, at most four times a second, with a ChangeEvent as its data. With Last-Event-ID, what was missed comes first; where that is not known any more, an event “reset” says to ask for everything again. A comment comes every 15 seconds. A reader who falls behind is cut off.',
          parameters: [
            { name: 'batchId', in: 'query', required: false, schema: { type: 'string' } },
            { name: 'Last-Event-ID', in: 'header', required: false, schema: { type: 'string' } },
          ],
          responses: {
            200: { description: 'Events.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
            default: refused(),
          },
        },
      },
    },
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: schemaOf(problem, 'output'), ChangeEvent: schemaOf(changeEvent, 'output') },
    },
  };
}

function operationOf({ name, title, description, effect, input, output }: DoorCommand): object {
  return {
    operationId: name,
    summary: title,
    description: `${description}\n\n${EFFECT_WORDS[effect]}`,
    tags: [effect],
    requestBody: { required: true, content: { 'application/json': { schema: schemaOf(input, 'input') } } },
    responses: { 200: json('Done.', output), default: refused() },
  };
}

function json(description: string, schema: z.ZodType): object {
  return { description, content: { 'application/json': { schema: schemaOf(schema, 'output') } } };
}

function refused(): object {
  return {
    description: 'Nothing was done.',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}
