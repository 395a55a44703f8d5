/**
 * The form in which objects are returned: every field of the current data model and nothing from
 * earlier ones.
 */
import { instantText } from './calendar.ts';
import { type DataModel, type Field, isAttachment, type Model, referenceKey } from './data-model.ts';
import type { Deployment } from './deployment.ts';
import { displayText, readRelated } from './display-text.ts';
import type { Json } from './json.ts';
import { type LegacyEnrollment, readLegacyEnrollments } from './legacy-enrollment.ts';
import type { StoredObject } from './write-plan.ts';

export type ObjectView = Readonly<Record<string, unknown>>;

interface ViewOptions {
  /** The deployment's base URL without a trailing slash, below which attachments are addressed. */
  readonly url: string;
  /** Whether users include their legacy enrollment, if the deployment has one. */
  readonly withEnrollment?: boolean;
}

/** Returns one view per object in the same order. */
export async function viewObjects(
  deployment: Deployment,
  objects: readonly StoredObject[],
  { url, withEnrollment = false }: ViewOptions,
): Promise<ObjectView[]> {
  const dataModel = deployment.dataModel();
  const users = objects.filter(({ type }) => type === dataModel.appUser).map(({ id }) => id);
  const [related, uploaded, enrollments] = await Promise.all([
    readRelated(deployment, dataModel, objects),
    readUploaded(deployment, dataModel, objects),
    readLegacyEnrollments(deployment, withEnrollment && !deployment.isMultiDevice() ? users : []),
  ]);
  const context = { dataModel, url, uploaded, uploadState: deployment.uploadState };
  return objects.map((object) => ({
    id: object.id,
    type: object.type,
    updated_at: instantText(object.updatedAt),
    display: displayText(object, dataModel, related),
    ...viewContents(object, context),
    ...toEnrollment(object, enrollments),
  }));
}

function toEnrollment({ id }: StoredObject, enrollments: ReadonlyMap<string, LegacyEnrollment>) {
  const enrollment = enrollments.get(id);
  return enrollment === undefined ? {} : { enrollment };
}

interface Context {
  readonly dataModel: DataModel;
  readonly url: string;
  readonly uploaded: ReadonlySet<string>;
  readonly uploadState: Deployment['uploadState'];
}

function viewContents({ type, contents }: StoredObject, context: Context): ObjectView {
  const model = context.dataModel.models.get(type);
  const view: Record<string, unknown> = {};
  for (const field of model?.fields.values() ?? []) {
    const value = contents[field.name] ?? null;
    if (isAttachment(field)) Object.assign(view, viewAttachment(field, value, context));
    else view[field.name] = value === null ? null : viewByType[field.type](value, field);
  }
  for (const relation of model?.belongsTo.values() ?? []) {
    const id = contents[referenceKey(relation)];
    view[referenceKey(relation)] = typeof id === 'string' ? id : null;
  }
  return view;
}

/** Returns null for a value stored when the field had another type. */
type View = (value: Json, field: Field) => unknown;

const text: View = (value) => (typeof value === 'string' ? value : null);
const number: View = (value) => (typeof value === 'number' ? value : null);
const choice: View = (value, { options }) => options.find(({ key }) => key === value) ?? null;
const choices: View = (value, field) =>
  Array.isArray(value) ? value.map((one: Json) => choice(one, field)).filter((one) => one !== null) : null;
const nothing: View = () => null;

const viewByType: Readonly<Record<Field['type'], View>> = {
  text,
  integer: (value) => (Number.isInteger(value) ? value : null),
  number,
  boolean: choice,
  date: (value) => (typeof value === 'string' && value.length === 10 ? value : null),
  datetime: (value) => (typeof value === 'string' && value.length === 20 ? value : null),
  'single-choice': choice,
  'single-choice-integer': choice,
  'multiple-choice': choices,
  'multiple-choice-integer': choices,
  location: (value) => (typeof value === 'object' && !Array.isArray(value) ? value : null),
  photo: nothing,
  signature: nothing,
  attachment: nothing,
  track: nothing,
};

function viewAttachment({ name, type }: Field, id: Json, { url, uploaded, uploadState }: Context): ObjectView {
  if (typeof id !== 'string') return { [name]: null, [`${name}_id`]: null };
  if (!uploaded.has(id)) return { [name]: { state: uploadState(id) }, [`${name}_id`]: id };
  const version = (kind: string) => `${url}/attachments/${id}/${kind}`;
  const versions = {
    original: version('original'),
    thumbnail: version('thumbnail'),
    fullscreen: version('fullscreen'),
  };
  const svg = type === 'signature' ? { svg: version('svg') } : {};
  return { [name]: { state: 'uploaded', ...versions, ...svg }, [`${name}_id`]: id };
}

async function readUploaded(
  { pool, key }: Deployment,
  { models }: DataModel,
  objects: readonly StoredObject[],
): Promise<ReadonlySet<string>> {
  const ids = objects.flatMap(({ type, contents }) => attachmentIds(models.get(type), contents));
  if (ids.length === 0) return new Set();
  const { rows } = await pool.query<{ id: string }>(
    'select id from attachment where deployment = $1 and id::text = any($2::text[])',
    [key, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

function attachmentIds(model: Model | undefined, contents: StoredObject['contents']): string[] {
  return [...(model?.fields.values() ?? [])].flatMap((field) => {
    const id = isAttachment(field) ? contents[field.name] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}
