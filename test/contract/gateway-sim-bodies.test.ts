import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/shared/domain/base/json.ts';
import type { Field, LeafType, Operation } from '../../src/shared/domain/operations/operations.ts';
import { columnsOf, OPERATIONS } from '../../src/shared/domain/operations/operations.ts';
import { ALL_PATHS, openGateway, sampleBody, send, submit } from './gateway-sim-client.ts';

const RIGHT: Readonly<Record<LeafType, fc.Arbitrary<Json>>> = {
  string: fc.string({ unit: 'grapheme' }),
  boolean: fc.boolean(),
  int32: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  integer: fc.maxSafeInteger(),
  number: fc.double({ noNaN: true, noDefaultInfinity: true }),
  'string[]': fc.array(fc.string()),
};

/** Values that JSON can hold and that a field of this type cannot. */
const WRONG: Readonly<Record<LeafType, readonly Json[]>> = {
  string: [1, true, null, ['text'], {}],
  boolean: ['true', 0, null, [true]],
  int32: ['12', 1.5, 2 ** 31, -(2 ** 31) - 1, null, true, [1]],
  integer: ['12', 1.5, null, [1]],
  number: ['4.5', null, true, [4.5]],
  'string[]': ['text', [1], ['text', null], null, {}],
};

function bodyOf(fields: readonly Field[]): fc.Arbitrary<JsonObject> {
  const parts = fields.map(
    (field) => [field.name, field.kind === 'leaf' ? RIGHT[field.type] : bodyOf(field.fields)] as const,
  );
  return fc.record(Object.fromEntries(parts), { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;
}

function put(body: JsonObject, object: string | undefined, name: string, value: Json): JsonObject {
  return object === undefined
    ? { ...body, [name]: value }
    : { ...body, [object]: { ...(body[object] as JsonObject), [name]: value } };
}

describe.each(OPERATIONS)('$path', (operation: Operation) => {
  test('takes any body of its fields, and no field is required', async () => {
    const gateway = await openGateway();
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(bodyOf(operation.fields), async (body) => {
        const { envelope } = await submit(gateway, operation.path, body);
        sent += 1;
        expect(envelope).toMatchObject({ success: true, failure: false });
        expect(gateway.chargeLog().at(-1)?.body).toEqual(JSON.parse(JSON.stringify(body)));
      }),
      { numRuns: 25 },
    );
    expect(gateway.chargeLog()).toHaveLength(sent);
  });

  test('refuses a value of another type, names the field and charges nothing', async () => {
    const gateway = await openGateway();
    const body = sampleBody(operation);
    for (const { column, object, field } of columnsOf(operation)) {
      for (const wrong of WRONG[field.type]) {
        const { envelope } = await submit(gateway, operation.path, put(body, object, field.name, wrong));
        expect(envelope, `${column} = ${JSON.stringify(wrong)}`).toMatchObject({ success: false, failure: true });
        expect(envelope.info).toContain(`field ${column} must be`);
      }
    }
    expect(gateway.chargeLog()).toEqual([]);
  });

  test('refuses a field that it does not have, at any depth', async () => {
    const gateway = await openGateway();
    const body = sampleBody(operation);
    const objects = operation.fields.filter((field) => field.kind === 'object').map((field) => field.name);
    for (const object of [undefined, ...objects]) {
      const { envelope } = await submit(gateway, operation.path, put(body, object, 'surplus', 'x'));
      expect(envelope).toMatchObject({
        failure: true,
        info: `unknown field: ${object === undefined ? '' : `${object}.`}surplus`,
      });
    }
    for (const object of objects) {
      const { envelope } = await submit(gateway, operation.path, { ...body, [object]: 'flat' });
      expect(envelope).toMatchObject({
        failure: true,
        info: expect.stringContaining(`field ${object} must be an object`) as string,
      });
    }
    expect(gateway.chargeLog()).toEqual([]);
  });
});

test('a nested field under its dotted name is a field that the interface does not have', async () => {
  const gateway = await openGateway();
  const { envelope } = await submit(gateway, 'musicgen/music/generate', { 'range.start_s': 1 });
  expect(envelope.info).toBe('unknown field: range.start_s');
});

describe('a body that is no object of JSON', () => {
  test.each(['', '{', 'null', '[]', '"text"', '12', '{"prompt":"a"} {"prompt":"b"}', '<xml/>'])(
    '%j is refused',
    async (text) => {
      const gateway = await openGateway();
      const { envelope } = await send(gateway, 'musicgen/music/lyrics', text);
      expect(envelope).toMatchObject({
        success: false,
        failure: true,
        info: expect.stringMatching(/^the body/) as string,
      });
      expect(gateway.chargeLog()).toEqual([]);
    },
  );

  test('bytes that are not UTF-8 are refused', async () => {
    const gateway = await openGateway();
    const bytes = Buffer.concat([Buffer.from('{"prompt":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    expect((await send(gateway, 'musicgen/music/lyrics', bytes)).envelope.failure).toBe(true);
  });

  test('the name of a prototype is a field like any other', async () => {
    const gateway = await openGateway();
    const { envelope } = await send(gateway, 'musicgen/music/lyrics', '{"__proto__":{"prompt":"x"}}');
    expect(envelope.info).toBe('unknown field: __proto__');
  });
});

describe('around the body', () => {
  test.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonx'])(
    'content type %j is refused',
    async (contentType) => {
      const gateway = await openGateway();
      for (const path of ALL_PATHS) {
        const { envelope } = await send(gateway, path, Buffer.from('{}'), { contentType });
        expect(envelope).toMatchObject({ failure: true, info: 'Content-Type must be application/json' });
      }
      expect(gateway.chargeLog()).toEqual([]);
    },
  );

  test('content type with a charset is taken', async () => {
    const gateway = await openGateway();
    const { envelope } = await submit(
      gateway,
      'musicgen/music/wav',
      {},
      { contentType: 'application/json; charset=utf-8' },
    );
    expect(envelope.success).toBe(true);
  });

  test('a body over the limit is refused', async () => {
    const gateway = await openGateway({ behaviour: { limits: { bodyMaxBytes: 1000 } } });
    expect((await submit(gateway, 'musicgen/music/lyrics', { prompt: 'x'.repeat(900) })).envelope.success).toBe(true);
    const { envelope } = await submit(gateway, 'musicgen/music/lyrics', { prompt: 'x'.repeat(1000) });
    expect(envelope).toMatchObject({ failure: true, info: 'the body is larger than 1000 bytes' });
    expect(gateway.chargeLog()).toHaveLength(1);
  });

  test('a refusal has the status and code of the behaviour and is kept for whoever runs the test', async () => {
    const gateway = await openGateway({ behaviour: { rejection: { http: 422, code: 'bad_request' } } });
    const refused = await submit(gateway, 'musicgen/music/wav', { clip: 'x' });
    expect(refused).toMatchObject({ http: 422, envelope: { code: 'bad_request', info: 'unknown field: clip' } });
    expect(gateway.stats().rejections).toEqual(['unknown field: clip']);
  });
});
