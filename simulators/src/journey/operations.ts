/** Validates write operations and prepares their values. */
import { randomUUID } from 'node:crypto';
import { ApiProblem, invalidValue, objectNotFound } from './api-problem.ts';
import { type DataModel, isAttachment, type Model, referenceKey } from './data-model.ts';
import { storedReference, storedValue } from './field-values.ts';
import { type Contents, isLowerCaseUuid, type Json } from './json.ts';
import { readUpload, readUploadId, type Upload } from './uploads.ts';

export const methods = ['put', 'patch', 'delete', 'post'] as const;

export interface Operation {
  readonly method: (typeof methods)[number];
  /** The fields next to `type` and `id`; a post without an id gets one. */
  readonly object: { readonly type: string; readonly id?: string | undefined; readonly [field: string]: unknown };
}

/** Null clears. */
export interface Prepared {
  readonly method: Operation['method'];
  readonly model: Model;
  readonly id: string;
  readonly values: Readonly<Record<string, Json>>;
  readonly uploads: readonly Upload[];
}

/** Never throws for invalid input, because a batch continues after an invalid operation. */
export function prepare(
  { method, object }: Operation,
  dataModel: DataModel,
  deployment: string,
): Prepared | ApiProblem {
  try {
    const { type, id: givenId, ...fields } = object;
    const model = dataModel.models.get(type);
    if (model === undefined) throw invalidValue(`There is no model '${type}'.`);
    const id = givenId ?? randomUUID();
    if (!isLowerCaseUuid(id) && (method === 'patch' || method === 'delete')) throw objectNotFound(type, id);
    if (!isLowerCaseUuid(id)) throw invalidValue(`Invalid id '${id}': it must be a lower-case UUID.`);
    if (method === 'delete') return { method, model, id, values: {}, uploads: [] };
    return { method, model, id, ...readFields(fields, model, deployment) };
  } catch (error) {
    if (error instanceof ApiProblem) return error;
    throw error;
  }
}

/**
 * Fields that appear in responses but cannot be written; they are ignored, so that an object can be
 * sent back as it was read.
 */
const readOnly = new Set(['updated_at', 'display', 'enrollment']);

function readFields(
  fields: Readonly<Record<string, unknown>>,
  model: Model,
  deployment: string,
): { values: Contents; uploads: Upload[] } {
  const values: Record<string, Json> = {};
  const uploads: Upload[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const field = model.fields.get(name);
    if (field !== undefined && isAttachment(field)) {
      const { id, upload } = readUpload(field, value, deployment);
      values[name] = id;
      if (upload !== undefined) uploads.push(upload);
    } else if (field !== undefined) {
      values[name] = storedValue(field, value);
    } else if (!readOther(name, value, model, values) && !readOnly.has(name)) {
      throw invalidValue(`Unknown field '${name}' for ${model.name}.`);
    }
  }
  return { values, uploads };
}

/** Handles `{relation}_id` and `{photo}_id`; returns whether the name is one of these. */
function readOther(name: string, value: unknown, model: Model, values: Record<string, Json>): boolean {
  if (!name.endsWith('_id')) return false;
  const stem = name.slice(0, -'_id'.length);
  const relation = model.belongsTo.get(stem);
  if (relation !== undefined) {
    values[referenceKey(relation)] = storedReference(name, value);
    return true;
  }
  const field = model.fields.get(stem);
  if (field === undefined || !isAttachment(field)) return false;
  // Bytes in the same request take precedence over an id.
  values[stem] ??= readUploadId(name, value);
  return true;
}
