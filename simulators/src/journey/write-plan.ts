/**
 * Computes the effect of operations in order as a pure function, so that a batch of a thousand
 * needs one read and one write. Each operation sees the effect of those before it. An operation
 * without changes succeeds and is not logged.
 */
import { isDeepStrictEqual } from 'node:util';
import { ApiProblem, invalidValue, objectNotFound, skipped } from './api-problem.ts';
import { contentKeys, type Model } from './data-model.ts';
import type { Contents, Json } from './json.ts';
import type { Prepared } from './operations.ts';
import type { Upload } from './uploads.ts';

/** An object as stored. */
export interface StoredObject {
  readonly type: string;
  readonly id: string;
  readonly contents: Contents;
  /** Seconds since 1970. */
  readonly updatedAt: number;
  /** The number of the op-log entry that created it, decimal; it orders the objects of a model. */
  readonly created: string;
}

export interface LogEntry {
  readonly sequence: string;
  readonly operation: 'create' | 'update' | 'delete';
  /** The state after the operation; for a delete, the state before. */
  readonly object: StoredObject;
}

export type Outcome =
  | { readonly success: true; readonly type: string; readonly id: string; readonly object: StoredObject | undefined }
  | { readonly success: false; readonly problem: ApiProblem };

export interface WritePlan {
  readonly outcomes: readonly Outcome[];
  readonly entries: readonly LogEntry[];
  readonly uploads: readonly Upload[];
}

interface WritePlanOptions {
  /** The existing objects among those named, by `objectKey`. */
  readonly present: ReadonlyMap<string, StoredObject>;
  /** The last assigned sequence. */
  readonly lastSequence: bigint;
  /** Seconds since 1970. */
  readonly now: number;
  readonly stopOnError?: boolean;
}

export function objectKey(type: string, id: string): string {
  return `${type}/${id}`;
}

export function planWrites(operations: readonly (Prepared | ApiProblem)[], options: WritePlanOptions): WritePlan {
  const objects = new Map(options.present);
  const entries: LogEntry[] = [];
  const uploads: Upload[] = [];
  const log = (
    operation: LogEntry['operation'],
    object: Omit<StoredObject, 'created' | 'updatedAt'>,
    created?: string,
  ) => {
    const sequence = String(options.lastSequence + BigInt(entries.length + 1));
    const entry = { ...object, updatedAt: options.now, created: created ?? sequence };
    entries.push({ sequence, operation, object: entry });
    return entry;
  };
  const write = (operation: Prepared): StoredObject | undefined => {
    const { method, model, id, values } = operation;
    const key = objectKey(model.name, id);
    const before = objects.get(key);
    if (method === 'post' && before !== undefined)
      throw invalidValue(`A ${model.name} with ID '${id}' already exists.`);
    if (before === undefined && (method === 'patch' || method === 'delete')) throw objectNotFound(model.name, id);
    if (before !== undefined && method === 'delete') {
      log('delete', before, before.created);
      objects.delete(key);
      return undefined;
    }
    uploads.push(...operation.uploads);
    const contents = withoutNulls(method === 'patch' ? { ...before?.contents, ...values } : values);
    if (before !== undefined && isSame(model, before.contents, contents)) return before;
    const after = log(before ? 'update' : 'create', { type: model.name, id, contents }, before?.created);
    objects.set(key, after);
    return after;
  };

  let failed = false;
  const outcomes = operations.map((operation): Outcome => {
    if (failed && options.stopOnError) return { success: false, problem: skipped() };
    try {
      if (operation instanceof ApiProblem) throw operation;
      return { success: true, type: operation.model.name, id: operation.id, object: write(operation) };
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      failed = true;
      return { success: false, problem: error };
    }
  });
  return { outcomes, entries, uploads };
}

function withoutNulls(values: Readonly<Record<string, Json>>): Contents {
  const contents: Record<string, Json> = {};
  for (const [name, value] of Object.entries(values)) if (value !== null) contents[name] = value;
  return contents;
}

/** Ignores fields left over from an earlier data model, which are not visible. */
function isSame(model: Model, before: Contents, after: Contents): boolean {
  return contentKeys(model).every((key) => {
    const [one, other] = [before[key], after[key]];
    return one === other || (typeof one === 'object' && isDeepStrictEqual(one, other));
  });
}
