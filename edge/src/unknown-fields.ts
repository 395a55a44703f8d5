import type { Fault } from '@portal/kit/describe-faults';
import { shortenValue } from '@portal/kit/shorten-value';
import * as z from 'zod/mini';

/**
 * Returns a fault for each field that the schema does not name, at any depth. A field that was
 * misspelled would otherwise have no effect, and the call would do something else than was meant.
 *
 * The schemas stay tolerant, because pages read responses with the same ones: an older page ignores
 * the fields that a newer server sends.
 */
export function findUnknownFields(schema: z.core.$ZodType, sent: unknown, path: readonly string[] = []): Fault[] {
  if (typeof sent !== 'object' || sent === null) return [];
  // The union of all kinds, by which the compiler narrows.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return def.catchall === undefined ? findInObject(def.shape, sent, path) : [];
    case 'array':
      return Array.isArray(sent)
        ? sent.flatMap((each: unknown, at) => findUnknownFields(def.element, each, [...path, String(at)]))
        : [];
    case 'union': {
      const meant = def.options.find((option) => z.safeParse(option, sent).success);
      return meant === undefined ? [] : findUnknownFields(meant, sent, path);
    }
    case 'optional':
    case 'nullable':
      return findUnknownFields(def.innerType, sent, path);
    case 'pipe':
      return findUnknownFields(def.in, sent, path);
    default:
      return [];
  }
}

function findInObject(shape: z.core.$ZodShape, sent: object, path: readonly string[]): Fault[] {
  if (Array.isArray(sent)) return [];
  return Object.entries(sent).flatMap(([name, value]) => {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field !== undefined) return findUnknownFields(field, value, [...path, name]);
    return { field: [...path, shortenValue(name)].join('.'), reason: describeKnown(Object.keys(shape)) };
  });
}

function describeKnown(names: readonly string[]): string {
  return names.length === 0 ? 'is an unknown field' : `is an unknown field (known: ${names.join(', ')})`;
}
