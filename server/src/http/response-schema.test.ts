import { endpoints } from '@portal/contract/endpoints';
import { sessionSchema } from '@portal/contract/session';
import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { toResponseSchema } from './response-schema.ts';

/** What a handler's value becomes on its way out. */
async function serialised(schema: z.ZodMiniType, value: unknown): Promise<unknown> {
  const app = fastify();
  app.get('/', { schema: { response: { 200: toResponseSchema(schema) } } }, async () => value);
  const { body } = await app.inject('/');
  return JSON.parse(body);
}

describe('answers', () => {
  it('lose what the contract does not name, at every depth', async () => {
    const schema = z.object({ list: z.array(z.object({ name: z.string() })) });
    const value = { list: [{ name: 'a', password: 'p' }], token: 't' };
    expect(await serialised(schema, value)).toEqual({ list: [{ name: 'a' }] });
  });

  it('keep null, leave out what is not there, and carry anything where anything may be', async () => {
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
    expect(await serialised(schema, value)).toEqual({
      none: null,
      some: { at: 'x' },
      any: { deep: [1, { x: null }] },
      text: null,
    });
  });

  it('keep maps whose keys are not known before', async () => {
    const { refusals } = sessionSchema.shape;
    expect(await serialised(z.object({ refusals }), { refusals: { 'config.change': 'no' } })).toEqual({
      refusals: { 'config.change': 'no' },
    });
  });

  it('need no validator while they are written: the schemas hold no alternatives', () => {
    for (const { response, path } of endpoints) {
      if (response !== 'text') expect(JSON.stringify(toResponseSchema(response)), path).not.toContain('anyOf');
    }
  });
});
