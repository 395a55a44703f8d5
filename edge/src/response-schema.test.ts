import { endpoints } from '@portal/contract/endpoints';
import { sessionSchema } from '@portal/contract/session';
import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { toResponseSchema } from './response-schema.ts';

/** Returns a handler's value after serialization. */
async function serialized(schema: z.ZodMiniType, value: unknown): Promise<unknown> {
  const app = fastify();
  app.get('/', { schema: { response: { 200: toResponseSchema(schema) } } }, async () => value);
  const { body } = await app.inject('/');
  return JSON.parse(body);
}

describe('responses', () => {
  it('omit fields that the contract does not name, at every depth', async () => {
    const schema = z.object({ list: z.array(z.object({ name: z.string() })) });
    const value = { list: [{ name: 'a', password: 'p' }], token: 't' };
    expect(await serialized(schema, value)).toEqual({ list: [{ name: 'a' }] });
  });

  it('keep null, omit missing fields, and pass anything where the contract allows it', async () => {
    const inner = z.object({ at: z.string() });
    const schema = z.object({
      none: z.nullable(inner),
      some: z.nullable(inner),
      left: z.optional(z.nullable(inner)),
      any: z.nullable(z.unknown()),
      text: z.nullable(z.string()),
    });
    const value = {
      none: null,
      some: { at: 'x', more: 1 },
      left: undefined,
      any: { deep: [1, { x: null }] },
      text: null,
    };
    expect(await serialized(schema, value)).toEqual({
      none: null,
      some: { at: 'x' },
      any: { deep: [1, { x: null }] },
      text: null,
    });
  });

  it('keep null and each kind of a union that may be null', async () => {
    const a = z.object({ kind: z.literal('a'), a: z.string() });
    const b = z.object({ kind: z.literal('b'), b: z.string() });
    const schema = z.object({ union: z.nullable(z.discriminatedUnion('kind', [a, b])) });
    for (const union of [null, { kind: 'a', a: 'x' }, { kind: 'b', b: 'y' }])
      expect(await serialized(schema, { union })).toEqual({ union });
  });

  it('keep maps with arbitrary keys', async () => {
    const { refusals } = sessionSchema.shape;
    expect(await serialized(z.object({ refusals }), { refusals: { 'config.change': 'no' } })).toEqual({
      refusals: { 'config.change': 'no' },
    });
  });

  it('need no validator during serialization, because the schemas contain no alternatives', () => {
    for (const { response, path } of endpoints) {
      if (typeof response !== 'string') expect(JSON.stringify(toResponseSchema(response)), path).not.toContain('anyOf');
    }
  });
});
