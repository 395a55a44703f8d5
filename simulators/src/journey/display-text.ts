/**
 * Renders the display text of objects, `{name} ({region.name})`, reading related objects a page at
 * a time.
 */
import { type DataModel, type Field, type Model, referenceKey } from './data-model.ts';
import type { Deployment } from './deployment.ts';
import type { Contents, Json } from './json.ts';
import { objectKey } from './write-plan.ts';

interface TemplateValues {
  readonly type: string;
  readonly contents: Contents;
}

/** Contents by `objectKey`. */
type Related = ReadonlyMap<string, Contents>;

const hole = /\{([^{}]+)\}/g;

export function displayText(object: TemplateValues, dataModel: DataModel, related: Related): string {
  const template = dataModel.models.get(object.type)?.display ?? '';
  return template.replaceAll(hole, (_hole, path: string) => {
    let { type, contents } = object;
    const steps = path.trim().split('.');
    for (const step of steps.slice(0, -1)) {
      const next = follow({ type, contents }, step, dataModel);
      if (next === undefined) return '';
      type = next.type;
      contents = related.get(objectKey(type, next.id)) ?? {};
    }
    const name = steps.at(-1) ?? '';
    return valueText(dataModel.models.get(type)?.fields.get(name), contents[name] ?? null);
  });
}

/** Reads everything the display texts reference, with one query per level. */
export async function readRelated(
  deployment: Deployment,
  dataModel: DataModel,
  objects: readonly TemplateValues[],
): Promise<Related> {
  const related = new Map<string, Contents>();
  let wanted = objects.flatMap(({ type, contents }) =>
    readPaths(dataModel.models.get(type)).map((path) => ({ type, contents, path })),
  );
  while (wanted.length > 0) {
    const steps = wanted.flatMap(({ path: [step, ...rest], ...object }) => {
      const next = step === undefined ? undefined : follow(object, step, dataModel);
      return next === undefined ? [] : [{ ...next, rest }];
    });
    const unread = new Map(steps.map((step) => [objectKey(step.type, step.id), step] as const));
    const missing = [...unread].filter(([key]) => !related.has(key)).map(([, step]) => step);
    if (missing.length > 0) {
      const { rows } = await deployment.pool.query<TemplateValues & { readonly id: string }>(
        `select found.* from unnest($2::text[], $3::uuid[]) as named (type, id) cross join lateral (
           select type, id, contents from object where deployment = $1 and type = named.type and id = named.id limit 1) as found`,
        [deployment.key, missing.map(({ type }) => type), missing.map(({ id }) => id)],
      );
      for (const { type, id, contents } of rows) related.set(objectKey(type, id), contents);
    }
    wanted = steps
      .filter(({ rest }) => rest.length > 0)
      .map(({ type, id, rest }) => ({ type, contents: related.get(objectKey(type, id)) ?? {}, path: rest }));
  }
  return related;
}

/** Returns the relations to follow, such as `[region, country]` for `{region.country.name}`. */
function readPaths(model: Model | undefined): readonly (readonly string[])[] {
  const holes = [...(model?.display ?? '').matchAll(hole)];
  return holes.map(([, path = '']) => path.trim().split('.').slice(0, -1)).filter(({ length }) => length > 0);
}

function follow(
  { type, contents }: TemplateValues,
  step: string,
  { models }: DataModel,
): { type: string; id: string } | undefined {
  const relation = models.get(type)?.belongsTo.get(step);
  const id = relation === undefined ? undefined : contents[referenceKey(relation)];
  return relation !== undefined && typeof id === 'string' ? { type: relation.model, id } : undefined;
}

function valueText(field: Field | undefined, value: Json): string {
  if (field === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map((one: Json) => valueText(field, one)).join(', ');
  const option = field.options.find(({ key }) => key === value);
  if (option !== undefined) return option.display;
  return typeof value === 'object' ? '' : String(value);
}
