import type { Endpoint } from '@portal/contract/endpoint';
import * as z from 'zod/mini';

/** A value of each form that texts and numbers of the contract may have. */
const texts = ['x', '1', '2026-01-01', '00000000-0000-4000-8000-000000000000', 'Monthly 1'];
const numbers = [1, 0, 20];

/** What a request names, by subject. */
export type NamedSubjects = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Valid texts, by the name of their field. Optional fields are sent only if they are here. */
export type Examples = Readonly<Record<string, string | undefined>>;

export interface BuiltRequest {
  readonly path: string;
  readonly body: string | undefined;
}

/** Builds the shortest valid request to an endpoint that is about the named subjects. */
export function buildRequest(
  { method, path, request, about }: Endpoint,
  named: NamedSubjects,
  examples: Examples = {},
): BuiltRequest {
  const value: unknown = request === null ? undefined : buildValue(request, examples);
  let resolvedPath: string = path;
  const subjects = Object.entries(about).flatMap(([subject, field]) =>
    field === null ? [] : [[subject, field] as const],
  );
  const required = subjects.filter(([, field]) => path.includes(`:${field}`) || readField(value, field) !== undefined);
  for (const [subject, field] of required.length > 0 ? required : subjects.slice(0, 1)) {
    const name = named[subject];
    if (path.includes(`:${field}`)) resolvedPath = resolvedPath.replace(`:${field}`, encodeURIComponent(String(name)));
    else writeField(value, field, name);
  }
  resolvedPath = resolvedPath.replace(/:(\w+)/g, (_, field: string) => examples[field] ?? 'x');
  if (method !== 'GET') return { path: resolvedPath, body: JSON.stringify(value ?? {}) };
  const query = new URLSearchParams();
  for (const [name, each] of Object.entries(Object(value))) query.set(name, String(each));
  return { path: `${resolvedPath}?${query}`, body: undefined };
}

function readField(value: unknown, field: string): unknown {
  return field.split('.').reduce<unknown>((each, name) => Object(each)[name], value);
}

function writeField(value: unknown, field: string, name: unknown): void {
  const [first = '', ...rest] = field.split('.');
  if (rest.length > 0) writeField(Object(value)[first], rest.join('.'), name);
  else Object(value)[first] = name;
}

/**
 * Builds the shortest valid value. Its texts are those of the examples where they are valid.
 *
 * @param field The name of the field that the value is for.
 */
export function buildValue(schema: z.core.$ZodType, examples: Examples = {}, field = ''): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const example = examples[field];
  switch (def.type) {
    case 'string':
      return [...(example === undefined ? [] : [example]), ...texts].find((text) => z.safeParse(schema, text).success);
    case 'number':
      return numbers.find((number) => z.safeParse(schema, number).success);
    case 'boolean':
      return true;
    case 'literal':
      return def.values[0];
    case 'enum':
      return Object.values(def.entries)[0];
    case 'array':
      return [buildValue(def.element, examples, field)];
    case 'object':
      return Object.fromEntries(
        Object.entries(def.shape)
          .map(([name, part]) => [name, buildValue(part, examples, name)])
          .filter(([, value]) => value !== undefined),
      );
    case 'union':
      return buildValue(def.options[0] ?? schema, examples, field);
    case 'pipe':
      return buildValue(def.out, examples, field);
    case 'nullable':
      return example === undefined ? null : buildValue(def.innerType, examples, field);
    case 'optional':
      return example === undefined ? undefined : buildValue(def.innerType, examples, field);
    default:
      return {};
  }
}
