import { endpoints, sockets } from '@portal/contract/endpoints';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { findUnknownFields } from './unknown-fields.ts';

/** Everything that callers send, by name. */
const requests = [
  ...endpoints.flatMap(({ method, path, request }) =>
    request === null ? [] : [{ name: `${method} ${path}`, request }],
  ),
  ...sockets.map(({ paths: [path], frame }) => ({ name: `frame at ${path}`, request: frame })),
].map(({ name, request }): [string, z.core.$ZodType] => [name, request]);

const values = ['x', '1', '2026-01-01', '00000000-0000-4000-8000-000000000000', 'Monthly 1', 1, 20, true, null];

/** Returns a value with every field, valid where one of `values` is. */
function buildSample(schema: z.core.$ZodType): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return Object.fromEntries(Object.entries(def.shape).map(([name, part]) => [name, buildSample(part)]));
    case 'array':
      return [buildSample(def.element)];
    case 'tuple':
      return def.items.map(buildSample);
    case 'union':
      return buildSample(def.options[0] ?? schema);
    case 'optional':
    case 'nullable':
      return buildSample(def.innerType);
    case 'literal':
      return def.values[0];
    case 'enum':
      return Object.values(def.entries)[0];
    default:
      return values.find((value) => z.safeParse(schema, value).success);
  }
}

/** Returns a sample for each object in the schema, with an unknown field in it, by its path. */
function insertUnknown(schema: z.core.$ZodType): (readonly [string, unknown])[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object': {
      const sample = Object(buildSample(schema));
      return [
        ['misspelled', { ...sample, misspelled: 1 }],
        ...Object.entries(def.shape).flatMap(([name, part]) =>
          insertUnknown(part).map(([path, value]) => [`${name}.${path}`, { ...sample, [name]: value }] as const),
        ),
      ];
    }
    case 'array':
      return insertUnknown(def.element).map(([path, value]) => [`0.${path}`, [value]]);
    case 'union':
      return def.options.flatMap(insertUnknown);
    case 'optional':
    case 'nullable':
      return insertUnknown(def.innerType);
    // A whole configuration: the sync service checks it, and reports each of its faults.
    case 'unknown':
    case 'tuple':
    case 'pipe':
    case 'string':
    case 'number':
    case 'boolean':
    case 'literal':
    case 'enum':
    case 'null':
      return [];
    default:
      throw new Error(`What is unknown in a schema of the kind ${def.type}?`);
  }
}

test.each(requests)('finds what is unknown at any depth of %s', (_name, request) => {
  expect(findUnknownFields(request, buildSample(request))).toEqual([]);
  for (const [path, sent] of insertUnknown(request))
    expect(
      findUnknownFields(request, sent).map(({ field }) => field),
      JSON.stringify(sent),
    ).toEqual([path]);
});

const schema = z.object({
  user: z.optional(z.string()),
  apps: z.optional(z.array(z.object({ id: z.string() }))),
  other: z.optional(z.looseObject({})),
});

test('names the known fields, and every unknown one, also beside fields of the wrong type', () => {
  expect(findUnknownFields(schema, { user: 7, username: 'x', apps: [{ id: 'a' }, { id: 'b', name: 'c' }] })).toEqual([
    { field: 'username', reason: 'is an unknown field (known: user, apps, other)' },
    { field: 'apps.1.name', reason: 'is an unknown field (known: id)' },
  ]);
  expect(findUnknownFields(z.object({}), { a: 1 })).toEqual([{ field: 'a', reason: 'is an unknown field' }]);
});

test('does not search where any field may be, or where the type is wrong', () => {
  for (const sent of [{ other: { any: 1 } }, { apps: 'x' }, { apps: { id: 1 } }, [], ['x'], null, 'x', { apps: [[]] }])
    expect(findUnknownFields(schema, sent)).toEqual([]);
});

test('names of the prototype are unknown fields like others', () => {
  expect(findUnknownFields(schema, JSON.parse('{"constructor":1,"__proto__":2}')).map(({ field }) => field)).toEqual([
    'constructor',
    '__proto__',
  ]);
});

test('a name that a caller made up is shortened', () => {
  expect(findUnknownFields(schema, { ['x'.repeat(10_000)]: 1 })[0]?.field).toHaveLength(100);
});
