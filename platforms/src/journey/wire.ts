/**
 * The requests and responses of Journey's backend (API v4), under their own names. Unknown keys are
 * ignored because the API may grow; required keys must be present. A missing key means null, as in
 * Journey.
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

/**
 * `count` is the number of objects in this response; `more` may stay true when `limit` cut the
 * list.
 */
export const JourneyObjectList = z.object({
  objects: z.array(JourneyObject),
  total: whole.nullable().default(null),
  more: z.boolean(),
});
export type JourneyObjectList = z.infer<typeof JourneyObjectList>;

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

export const JourneyOperationResult = z.discriminatedUnion('success', [
  z.object({ success: z.literal(true), method: z.string(), object: z.looseObject({ id: z.string() }) }),
  z.object({ success: z.literal(false), method: z.string(), object: z.looseObject({}), error: JourneyError }),
]);
export type JourneyOperationResult = z.infer<typeof JourneyOperationResult>;

export const JourneyBatchResponse = z.object({ operations: z.array(JourneyOperationResult) });

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
 * `sequence`. Whatever else an entry contains concerns only this entry.
 */
const WireOpLogEntry = z
  .object({
    sequence_id: JourneySequence.optional(),
    sequence: JourneySequence.optional(),
    operation: z.unknown().optional(),
    object: z.unknown().optional(),
  })
  .transform(({ sequence_id, sequence, ...entry }, context) => {
    const known = sequence_id ?? sequence;
    if (known !== undefined) return { sequence: known, ...readEntry(entry) };
    context.addIssue('has no sequence');
    return z.NEVER;
  });

type EntryContent = Pick<JourneyOpLogEntry, 'operation' | 'object' | 'problem'>;

function readEntry(entry: { readonly operation?: unknown; readonly object?: unknown }): EntryContent {
  const operation = JourneyChange.safeParse(entry.operation);
  const object = JourneyObject.safeParse(entry.object);
  const problems = [
    ...(operation.success ? [] : [`its operation is ${toJson(entry.operation)}`]),
    ...(object.success ? [] : [`its object has ${describeMissing(entry.object)}`]),
  ];
  return {
    operation: operation.data ?? 'update',
    object: object.data ?? partialObject.parse(entry.object),
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

function describeMissing(object: unknown): string {
  const { id, type } = partialObject.parse(object);
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
  datamodel_hash: z.string(),
});

export type JourneyOpLogResponse = z.infer<typeof JourneyOpLogResponse>;

export interface JourneyOpLogEntry {
  readonly sequence: string;
  readonly operation: JourneyChange;
  /**
   * The new state of the object in the current data model; only `id` and `type` for a deleted one.
   */
  readonly object: JourneyObject;
  readonly datamodelHash: string;
  /**
   * Why the entry cannot be read, as part of a sentence: its operation is then `update`, and its
   * object has an empty id or type where it has none.
   */
  readonly problem?: string;
}

/** Entries in Journey's order; they may repeat earlier ones or be unordered. */
export interface JourneyOpLogPage {
  readonly entries: readonly JourneyOpLogEntry[];
  readonly hasMore: boolean;
  /** Where the next page starts. */
  readonly nextStart: string;
  readonly datamodelHash: string;
}

/** A boolean or a choice in a response. */
const JourneyChoice = z.object({
  key: z.union([z.string(), z.number(), z.boolean()]),
  display: textOrNull,
});

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

/**
 * A `type` such as `text`, `single-choice`, or `photo`. Older backends write a `subtype` as
 * `text:name`, newer ones as `name`.
 */
const JourneyField = z.object({
  name: z.string(),
  label: textOrNull,
  type: z.string(),
  subtype: textOrNull.transform((subtype) => subtype?.replace(/^text:/, '') ?? null),
  options: z.array(JourneyChoice).nullable().default(null),
  /** The media type of an attachment, or `any`. */
  media: textOrNull,
});

const JourneyRelation = z.object({ name: z.string(), model: z.string(), inverse_of: textOrNull });

const JourneyModel = z.object({
  name: z.string(),
  label: textOrNull,
  display: textOrNull,
  fields: z.record(z.string(), JourneyField),
  belongs_to: z.record(z.string(), JourneyRelation).default({}),
  has_many: z.record(z.string(), JourneyRelation).default({}),
});

export const JourneyDataModel = z.object({
  /** Keyed by name. */
  models: z.record(z.string(), JourneyModel),
  /** The name of the model whose objects are the app's users. */
  app_user: textOrNull,
  datamodel_hash: z.string(),
});
export type JourneyDataModel = z.infer<typeof JourneyDataModel>;

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
