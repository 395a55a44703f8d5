import { describe, expect, it } from 'vitest';
import type * as z from 'zod/mini';
import type { Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { logHelloSchema } from './logs.ts';
import { saveSyncDashboard } from './sync/dashboards.ts';
import { syncSocketMessageSchema } from './sync/socket.ts';

/** Schemas of everything that callers send, by name. */
const requests = new Map<string, z.core.$ZodType>([
  ...endpoints.flatMap(({ method, path, request }) =>
    request === null ? [] : [[`${method} ${path}`, request] as const],
  ),
  ['first frame of a log socket', logHelloSchema],
  ['first frame of a sync socket', syncSocketMessageSchema],
]);

/**
 * The configuration in a frame has any form, because the sync service reports each of its faults.
 * The size of the frame limits it.
 */
const anyForm = /^first frame of a sync socket\.\d\.config$/;

/** Returns the paths of all texts, lists and records without a maximum length. */
function findUnlimited(schema: z.core.$ZodType, path: string): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const hasLimit = (def.checks ?? []).some((check) => check._zod.def.check === 'max_length');
  const own = (isLimited: boolean) => (isLimited || anyForm.test(path) ? [] : [path]);
  switch (def.type) {
    case 'string':
      return own(hasLimit);
    case 'array':
      return [...own(hasLimit), ...findUnlimited(def.element, `${path}[]`)];
    case 'object':
      return Object.entries(def.shape).flatMap(([name, part]) => findUnlimited(part, `${path}.${name}`));
    case 'tuple':
      return def.items.flatMap((part, at) => findUnlimited(part, `${path}.${at}`));
    case 'union':
      return def.options.flatMap((option, at) => findUnlimited(option, `${path}.${at}`));
    case 'pipe':
      return findUnlimited(def.out, path);
    case 'optional':
    case 'nullable':
      return findUnlimited(def.innerType, path);
    case 'number':
    case 'boolean':
    case 'literal':
    case 'enum':
    case 'null':
      return [];
    default:
      // A kind of schema that this test does not know might have no limit.
      return own(false);
  }
}

/** Endpoints with a body, by name. */
const bodies = endpoints
  .filter(({ method, request }) => method !== 'GET' && request !== null)
  .map((each): [string, Endpoint] => [`${each.method} ${each.path}`, each]);

/** Returns a value with every field, whose texts and lists are as long as the schema allows. */
function buildLongest(schema: z.core.$ZodType): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const [limit = 0] = (def.checks ?? []).flatMap(({ _zod: { def: check } }) =>
    'maximum' in check ? [Number(check.maximum)] : [],
  );
  switch (def.type) {
    case 'string':
      return 'x'.repeat(limit);
    case 'array':
      return Array.from({ length: limit }, () => buildLongest(def.element));
    case 'object':
      return Object.fromEntries(Object.entries(def.shape).map(([name, part]) => [name, buildLongest(part)]));
    case 'union':
      return def.options
        .map(buildLongest)
        .reduce((one, other) => (JSON.stringify(one).length > JSON.stringify(other).length ? one : other));
    case 'pipe':
      return buildLongest(def.out);
    case 'optional':
    case 'nullable':
      return buildLongest(def.innerType);
    default:
      return 1e15 + 1;
  }
}

/** Returns the paths of all lists of texts in which a text can be repeated. */
function findRepeatable(schema: z.core.$ZodType, path: string): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'array': {
      const isOfTexts = def.element._zod.def.type === 'string';
      const isSet = (def.checks ?? []).some((check) => check._zod.def.check === 'overwrite');
      return isOfTexts && !isSet ? [path] : findRepeatable(def.element, `${path}[]`);
    }
    case 'object':
      return Object.entries(def.shape).flatMap(([name, part]) => findRepeatable(part, `${path}.${name}`));
    case 'optional':
    case 'nullable':
      return findRepeatable(def.innerType, path);
    case 'pipe':
      return findRepeatable(def.out, path);
    default:
      return [];
  }
}

describe('requests', () => {
  it('remove repeated texts from every list of ids', () => {
    const repeatable = [...requests].flatMap(([name, schema]) => findRepeatable(schema, name));
    // Texts that are stored or ignored; nothing is done once for each.
    const isOther = (path: string) => /\.(appNames|appSchemas|\w+Skip\w+|secrets)$/.test(path);
    expect(repeatable.filter((path) => !isOther(path))).toEqual([]);
  });

  it('limit the length of every text and list', () => {
    expect(requests.size).toBeGreaterThan(50);
    expect([...requests].flatMap(([name, schema]) => findUnlimited(schema, name))).toEqual([]);
  });

  it('report a list that is too long once, without checking its elements', () => {
    const tooLong = { team: 1, appIds: Array.from({ length: 400_000 }, () => 7) };
    const { error } = saveSyncDashboard.request.safeParse({ name: 'a', ...tooLong });
    expect(error?.issues.map(({ code, path }) => [code, ...path])).toEqual([['too_big', 'appIds']]);
  });

  it.each(bodies)('%s accepts a body with the longest values of every field', (_name, { request, cost }) => {
    const longest = JSON.stringify(buildLongest(request as z.core.$ZodType));
    expect(longest.length).toBeLessThanOrEqual(cost.maxBodyBytes);
  });
});
