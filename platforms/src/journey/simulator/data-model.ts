/** What a deployment's objects are made of. Maps, because an app may name a field `constructor`. */
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
  /** Empty but for booleans and choices. */
  readonly options: readonly Option[];
}

/** Objects hold the id of the other one as `{name}_id`. */
export interface BelongsTo {
  readonly name: string;
  readonly model: string;
  /** Name of the has-many at the other end, if it has one. */
  readonly inverseOf: string | null;
}

export interface HasMany {
  readonly name: string;
  readonly model: string;
  /** Name of the belongs-to at the other end. */
  readonly inverseOf: string;
}

export interface ModelIndex {
  readonly name: string;
  readonly key: Readonly<Record<string, 1 | -1>>;
}

export interface Model {
  readonly name: string;
  readonly label: string;
  /** `{name} ({region.name})` */
  readonly display: string | null;
  readonly fields: ReadonlyMap<string, Field>;
  readonly belongsTo: ReadonlyMap<string, BelongsTo>;
  readonly hasMany: ReadonlyMap<string, HasMany>;
  readonly indexes: readonly ModelIndex[];
}

export interface DataModel {
  readonly xml: string;
  /** Changes with anything a reader of `datamodel.json` could notice. */
  readonly hash: string;
  readonly models: ReadonlyMap<string, Model>;
  /** Name of the model of the app's users. */
  readonly appUser: string | null;
  /** What is allowed and yet unwise, a sentence each. */
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

/** Under which names an object's contents are kept. */
export function contentKeys(model: Model): readonly string[] {
  const known = keysByModel.get(model);
  if (known !== undefined) return known;
  const keys = [...model.fields.keys(), ...[...model.belongsTo.values()].map(referenceKey)];
  keysByModel.set(model, keys);
  return keys;
}

/** The body of `datamodel.json`, without its hash. */
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
