/**
 * The requests and responses of Journey's backend (API v4), under their own names. Unknown keys are
 * ignored because the API may grow. A missing key means null, as in Journey, and only what the
 * portal cannot do without is required: Journey's official client reads even less.
 */
import { z } from 'zod';

/** The maximum number of objects, operations, entries, or users per call. */
export const journeyPageMax = 1_000;

const textOrNull = z.string().nullable().default(null);
const whole = z.int().min(0);

/**
 * An object of any model; its fields are next to these keys, as `parse-exactly.ts` returns them.
 */
export const JourneyObject = z.looseObject({
  id: z.string().min(1),
  type: z.string().min(1),
  /** When Journey wrote the object: UTC, in whole seconds. */
  updated_at: textOrNull,
});
export type JourneyObject = z.infer<typeof JourneyObject>;

/** The objects of one model, which need not name it. */
export interface JourneyObjectList {
  readonly objects: readonly JourneyObject[];
  /** How many others the response has, without an id or with something else than an object. */
  readonly unreadable: number;
  readonly total: number | null;
  /** May stay true when `limit` cut the list; null when the response does not say. */
  readonly more: boolean | null;
}

/** Returns the shape of a list of objects of this model. */
export function journeyObjectList(model: string): z.ZodType<JourneyObjectList> {
  return z
    .object({
      objects: z.array(z.unknown()),
      total: whole.nullable().default(null),
      more: z.boolean().nullable().default(null),
    })
    .transform(({ objects, ...list }) => {
      const read = objects.flatMap((object) => journeyObject(model).safeParse(object).data ?? []);
      return { ...list, objects: read, unreadable: objects.length - read.length };
    });
}

/** Returns the shape of an object of this model. */
export function journeyObject(model: string): z.ZodType<JourneyObject> {
  return JourneyObject.extend({ type: JourneyObject.shape.type.nullish().transform((type) => type ?? model) });
}

export const JourneyCount = z.object({ count: whole });

/** Only `type` and the status are reliable; the rest is for people. */
export const JourneyError = z.object({ type: z.string().min(1), title: textOrNull, detail: textOrNull });
export type JourneyError = z.infer<typeof JourneyError>;

/** The error types that the portal acts on; there may be others. */
export const journeyErrors = {
  invalidRequest: 'INVALID_API_REQUEST',
  /** Counts as success for a delete. */
  objectNotFound: 'OBJECT_NOT_FOUND',
  /** The base URL does not name a deployment. */
  accountNotFound: 'ACCOUNT_NOT_FOUND',
  routeError: 'ROUTE_ERROR',
  invalidValue: 'INVALID_VALUE',
  authenticationFailed: 'AUTHENTICATION_FAILED',
  tooManyRequests: 'TOO_MANY_REQUESTS',
} as const;

/**
 * The value of a field in a write; null clears it. Booleans and choices are written as plain
 * values, not as `{key, display}`.
 */
export type JourneyValue =
  | string
  | number
  | boolean
  | null
  | readonly JourneyValue[]
  | { readonly [key: string]: JourneyValue };

export type JourneyFields = Readonly<Record<string, JourneyValue>>;

/** `id` is a lower-case UUID. */
type JourneyObjectToWrite = JourneyFields & { readonly type: string; readonly id: string };

/**
 * Only idempotent methods, hence no `post`: `put` replaces or creates, `patch` sets the given
 * fields.
 */
export type JourneyOperation =
  | { readonly method: 'put' | 'patch'; readonly object: JourneyObjectToWrite }
  | { readonly method: 'delete'; readonly object: { readonly type: string; readonly id: string } };

/**
 * Between 1 and 2^63 - 1, as decimal text, because it exceeds JavaScript's exact integers. Compare
 * with `BigInt`.
 */
export const JourneySequence = z
  .union([z.int().transform(String), z.string()])
  .refine(isSequence, 'is not a number between 1 and 2^63 - 1')
  .transform((text) => String(BigInt(text)));

function isSequence(text: string): boolean {
  return /^\d{1,30}$/.test(text) && BigInt(text) > 0n && BigInt(text) < 2n ** 63n;
}

const JourneyChange = z.enum(['create', 'update', 'delete']);
type JourneyChange = z.infer<typeof JourneyChange>;

/**
 * With `sequence_ids=true` an entry has the text `sequence_id`; without it, and in older backends,
 * `sequence`. Whatever an entry contains or lacks concerns only this entry.
 */
const WireOpLogEntry = z
  .object({
    sequence_id: JourneySequence.nullish().catch(null),
    sequence: JourneySequence.nullish().catch(null),
    operation: z.unknown().optional(),
    object: z.unknown().optional(),
  })
  .transform(({ sequence_id, sequence, ...entry }) => ({
    sequence: sequence_id ?? sequence ?? null,
    ...readEntry(entry),
  }));

type EntryContent = Pick<JourneyOpLogEntry, 'operation' | 'object' | 'problem'>;

function readEntry(entry: { readonly operation?: unknown; readonly object?: unknown }): EntryContent {
  const operation = JourneyChange.safeParse(entry.operation);
  const object = JourneyObject.safeParse(entry.object);
  const partial = object.data ?? partialObject.parse(entry.object);
  const missing = object.success ? '' : describeMissing(partial);
  if (operation.success && missing === 'no type') return { operation: operation.data, object: partial };
  const problems = [
    ...(operation.success ? [] : [`its operation is ${toJson(entry.operation)}`]),
    ...(missing === '' ? [] : [`its object has ${missing}`]),
  ];
  return {
    operation: operation.data ?? 'update',
    object: partial,
    ...(problems.length > 0 && { problem: `${problems.join(', and ')}` }),
  };
}

/** What can be read of an object without an id or a type. */
const partialObject = z
  .looseObject({
    id: z.string().catch(''),
    type: z.string().catch(''),
    updated_at: z.string().nullable().catch(null),
  })
  .catch({ id: '', type: '', updated_at: null });

function describeMissing({ id, type }: JourneyObject): string {
  const missing = [...(id === '' ? ['no id'] : []), ...(type === '' ? ['no type'] : [])];
  return missing.length > 0 ? missing.join(' and ') : 'an invalid updated_at';
}

const maxShown = 100;

function toJson(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, maxShown);
}

export const JourneyOpLogResponse = z.object({
  entries: z.array(WireOpLogEntry),
  has_more: z.boolean().nullable().default(null),
  next_request_start: z
    .union([z.int().transform(String), z.string().min(1)])
    .nullable()
    .default(null),
  datamodel_hash: textOrNull,
});

export type JourneyOpLogResponse = z.infer<typeof JourneyOpLogResponse>;

export interface JourneyOpLogEntry {
  readonly sequence: string;
  readonly operation: JourneyChange;
  /**
   * The new state of the object in the current data model; only `id` and `type` for a deleted one.
   */
  readonly object: JourneyObject;
  /**
   * Why the entry cannot be read, as part of a sentence: its operation is then `update`, and its
   * object has an empty id where it has none. An empty type alone is no problem, because the id may
   * be known.
   */
  readonly problem?: string;
}

/** Entries in Journey's order; they may repeat earlier ones or be unordered. */
export interface JourneyOpLogPage {
  readonly entries: readonly JourneyOpLogEntry[];
  readonly hasMore: boolean;
  /** Where the next page starts. */
  readonly nextStart: string;
  /** Null when Journey does not state it. */
  readonly datamodelHash: string | null;
}

/**
 * A photo, signature, or attachment in a response; it has addresses only in the state `uploaded`.
 */
export const JourneyAttachment = z.object({
  state: z.string(),
  original: textOrNull,
  thumbnail: textOrNull,
  fullscreen: textOrNull,
  svg: textOrNull,
});
export type JourneyAttachment = z.infer<typeof JourneyAttachment>;

export const JourneyInfo = z.object({
  label: textOrNull,
  app_label: textOrNull,
  app_id: textOrNull,
  org_id: textOrNull,
  region: textOrNull,
  environment: textOrNull,
  last_deployed_at: textOrNull,
  deployed_by_name: textOrNull,
  deployed_by_email: textOrNull,
});
export type JourneyInfo = z.infer<typeof JourneyInfo>;
