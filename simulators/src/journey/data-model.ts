/**
 * The data model of a deployment's objects. It uses maps because an app may name a field
 * `constructor`.
 */
import { createHash } from 'node:crypto';

export const fieldTypes = [
  'text',
  'integer',
  'number',
  'boolean',
  'date',
  'datetime',
  'single-choice',
  'single-choice-integer',
  'multiple-choice',
  'multiple-choice-integer',
  'location',
  'photo',
  'signature',
  'attachment',
  'track',
] as const;
export type FieldType = (typeof fieldTypes)[number];

export interface Option {
  readonly key: string | number | boolean;
  readonly display: string;
}

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: FieldType;
  readonly subtype: string | null;
  /** Empty except for booleans and choices. */
  readonly options: readonly Option[];
  /** The media type that an attachment takes, or `any`. */
  readonly media?: string;
}

/** Objects store the id of the other object as `{name}_id`. */
export interface BelongsTo {
  readonly name: string;
  readonly model: string;
  /** The name of the has-many at the other end, if any. */
  readonly inverseOf: string | null;
}

export interface HasMany {
  readonly name: string;
  readonly model: string;
  /** The name of the belongs-to at the other end. */
  readonly inverseOf: string;
}

export interface ModelIndex {
  readonly name: string;
  readonly key: Readonly<Record<string, 1 | -1>>;
}

/** What an object must have before a webhook is sent for it. */
export interface WebhookCondition {
  /** The key in the returned object. */
  readonly key: string;
  /** Whether a file must be uploaded, too. */
  readonly isUploaded: boolean;
}

/** A webhook to a receiver outside Journey. */
export interface Webhook {
  /** Unique in the data model. */
  readonly name: string;
  /**
   * `ready` is sent once per object, and `update` for each save; both only while the conditions are
   * met.
   */
  readonly type: 'ready' | 'update';
  readonly conditions: readonly WebhookCondition[];
}

export interface Model {
  readonly name: string;
  readonly label: string;
  /** Such as `{name} ({region.name})`. */
  readonly display: string | null;
  readonly fields: ReadonlyMap<string, Field>;
  readonly belongsTo: ReadonlyMap<string, BelongsTo>;
  readonly hasMany: ReadonlyMap<string, HasMany>;
  readonly indexes: readonly ModelIndex[];
  readonly webhooks: readonly Webhook[];
}

export interface DataModel {
  readonly xml: string;
  /** Changes with anything a reader of `datamodel.json` can see. */
  readonly hash: string;
  readonly models: ReadonlyMap<string, Model>;
  /** The name of the model of the app's users. */
  readonly appUser: string | null;
  /** What is allowed but not recommended, one sentence each. */
  readonly warnings: readonly string[];
}

export function isAttachment({ type }: Field): boolean {
  return type === 'photo' || type === 'signature' || type === 'attachment';
}

export function isMultipleChoice({ type }: Field): boolean {
  return type === 'multiple-choice' || type === 'multiple-choice-integer';
}

export function referenceKey({ name }: BelongsTo): string {
  return `${name}_id`;
}

const keysByModel = new WeakMap<Model, readonly string[]>();

/** Returns the keys under which an object's contents are stored. */
export function contentKeys(model: Model): readonly string[] {
  const known = keysByModel.get(model);
  if (known !== undefined) return known;
  const keys = [...model.fields.keys(), ...[...model.belongsTo.values()].map(referenceKey)];
  keysByModel.set(model, keys);
  return keys;
}

/** Returns the body of `datamodel.json` without its hash. */
export function dataModelBody(models: DataModel['models'], appUser: string | null) {
  return { models: mapped(models, modelBody), app_user: appUser };
}

export function hashModel(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function modelBody({ name, label, display, fields, belongsTo, hasMany }: Model) {
  return {
    name,
    label,
    display,
    fields: mapped(fields, ({ options, ...field }) => (options.length > 0 ? { ...field, options } : field)),
    belongs_to: mapped(belongsTo, (relation) => ({
      model: relation.model,
      name: relation.name,
      inverse_of: relation.inverseOf,
    })),
    has_many: mapped(hasMany, (relation) => ({ model: relation.model, name: relation.name })),
  };
}

function mapped<Value, Body>(map: ReadonlyMap<string, Value>, body: (value: Value) => Body): Record<string, Body> {
  return Object.fromEntries([...map].map(([name, value]) => [name, body(value)]));
}
