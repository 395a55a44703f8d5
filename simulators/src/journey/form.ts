/**
 * Reads form-encoded bodies, `task[name]=x`, in which everything is text and the data model
 * determines the types.
 */
import type { Field, Model } from './data-model.ts';
import { isMultipleChoice } from './data-model.ts';
import { isRecord } from './json.ts';

const formKey = Symbol('form');

/** Returns `{task: {name: 'x', tags: ['a', 'b']}}`, which `isForm` recognizes. */
export function readForm(parameters: URLSearchParams): Readonly<Record<string, unknown>> {
  const form: Record<string, Record<string, unknown>> = {};
  for (const [key, value] of parameters) {
    const [, wrapper = '', field = '', list] = /^(\w+)\[(\w+)\](\[\])?$/.exec(key) ?? [];
    if (wrapper === '' || wrapper === '__proto__' || field === '__proto__') continue;
    form[wrapper] ??= {};
    const before = form[wrapper][field];
    form[wrapper][field] = list === undefined ? value : [...(Array.isArray(before) ? before : []), value];
  }
  return Object.defineProperty(form, formKey, { value: true });
}

export function isForm(body: unknown): boolean {
  return isRecord(body) && formKey in body;
}

/**
 * Converts the fields to the types of their model; empty values become null, values that do not fit
 * stay unchanged.
 */
export function typedForm(model: Model, fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value === '' ? null : toTypedValue(model.fields.get(name), value),
    ]),
  );
}

function toTypedValue(field: Field | undefined, value: unknown): unknown {
  if (field === undefined || !isMultipleChoice(field)) return toTypedScalar(field, value);
  return (Array.isArray(value) ? value : [value]).map((one: unknown) => toTypedScalar(field, one));
}

function toTypedScalar(field: Field | undefined, value: unknown): unknown {
  if (field === undefined || typeof value !== 'string') return value;
  if (field.type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  const isNumeric = field.type.endsWith('integer') || field.type === 'number';
  return isNumeric && Number.isFinite(Number(value)) ? Number(value) : value;
}
