/** Parses a deployment's data model from its `schema.xml` and reports all errors at once. */
import { type BelongsTo, type DataModel, dataModelBody, type Field, hashModel, type ModelIndex } from './data-model.ts';
import type { RawModel } from './raw-model.ts';
import { readField } from './schema-field.ts';
import { isName, reservedModels, type SchemaFindings } from './schema-names.ts';
import { checkRelations, resolveHasMany } from './schema-relations.ts';
import { checkWebhookNames, readWebhook } from './schema-webhook.ts';
import { parseXml, type XmlElement } from './xml-element.ts';

export class SchemaError extends Error {
  readonly errors: readonly string[];

  constructor(errors: readonly string[]) {
    super(errors.join('\n'));
    this.errors = errors;
  }
}

/** Throws a SchemaError with every error. */
export function parseSchema(xml: string, userModel = 'user'): DataModel {
  const roots = parseXml(xml);
  if (typeof roots === 'string') throw new SchemaError([roots]);
  const [root, ...others] = roots;
  if (root?.name !== 'data-model' || others.length > 0) throw new SchemaError(['The root must be one <data-model>.']);
  const findings: SchemaFindings = { errors: [], warnings: [] };
  if (!root.children.some(({ name }) => name === 'model')) findings.errors.push('There is no <model>.');
  const raw = new Map<string, RawModel>();
  for (const element of root.children) {
    if (element.name !== 'model') {
      findings.errors.push(`<${element.name}> is not allowed in <data-model>.`);
      continue;
    }
    const model = readModel(element, findings);
    if (raw.has(model.name)) findings.errors.push(`There are two models ${model.name}.`);
    raw.set(model.name, model);
  }
  checkRelations(raw, findings);
  checkWebhookNames(raw.values(), findings);
  if (findings.errors.length > 0) throw new SchemaError(findings.errors);
  const models = resolveHasMany(raw);
  const appUser = models.has(userModel) ? userModel : null;
  const hash = hashModel(JSON.stringify(dataModelBody(models, appUser)));
  return { xml, hash, models, appUser, warnings: findings.warnings };
}

/** Fields come first, then relations, then the rest; the order within each group is free. */
const rankByElement: Readonly<Record<string, number>> = {
  field: 0,
  'belongs-to': 1,
  'has-many': 1,
  index: 2,
  display: 2,
  'notify-user': 2,
  webhook: 2,
};

function readModel(element: XmlElement, findings: SchemaFindings): RawModel {
  const name = element.attributes.get('name') ?? '';
  const where = `model ${name || '(without a name)'}`;
  if (!isName(name))
    findings.errors.push(`${where}: the name must consist of letters, digits, and _, and start with a letter.`);
  if (reservedModels.has(name)) findings.errors.push(`${where}: the name is reserved.`);
  const label = element.attributes.get('label') ?? '';
  if (!element.attributes.has('label')) findings.errors.push(`${where}: a label is required.`);
  checkOrder(element, where, findings);
  const children = (kind: string) => element.children.filter((child) => child.name === kind);
  const fields = byName<Field>(
    children('field').map((child) => readField(child, where, findings)),
    where,
    findings,
  );
  const belongsTo = byName<BelongsTo>(children('belongs-to').map(readBelongsTo), where, findings);
  const displays = children('display');
  if (displays.length === 0) findings.errors.push(`${where}: a <display> is required.`);
  if (displays.length > 1) findings.warnings.push(`${where}: only the first <display> counts.`);
  return {
    name,
    label,
    display: displays[0] ? displays[0].attributes.get('format') || displays[0].text : null,
    fields,
    belongsTo,
    hasMany: children('has-many').map(({ attributes }) => ({
      name: attributes.get('name') ?? '',
      model: attributes.get('model') ?? '',
      inverseOf: attributes.get('inverse-of'),
    })),
    indexes: children('index').map((child) => readIndex(child, where, findings)),
    webhooks: children('webhook').flatMap((child) => readWebhook(child, { name, fields, belongsTo }, findings)),
  };
}

function checkOrder(element: XmlElement, where: string, findings: SchemaFindings): void {
  let highest = 0;
  for (const { name } of element.children) {
    const rank = rankByElement[name];
    if (rank === undefined) findings.warnings.push(`${where}: <${name}> is unknown.`);
    else if (rank < highest) findings.errors.push(`${where}: <${name}> must come earlier.`);
    highest = Math.max(highest, rank ?? 0);
  }
}

function readBelongsTo({ attributes }: XmlElement): BelongsTo {
  const model = attributes.get('model') ?? '';
  return { model, name: attributes.get('name') ?? model, inverseOf: null };
}

function readIndex({ attributes }: XmlElement, where: string, { errors }: SchemaFindings): ModelIndex {
  for (const database of (attributes.get('database') ?? 'cloud').split(',').map((part) => part.trim()))
    if (database !== 'app' && database !== 'cloud') errors.push(`${where}: an index has no database "${database}".`);
  const parts = (attributes.get('on') ?? '').split(',').map((part) => part.trim());
  const key = Object.fromEntries(
    parts.map((part) => (part.startsWith('-') ? ([part.slice(1), -1] as const) : ([part, 1] as const))),
  );
  return { name: parts.join('_').replaceAll('-', 'desc_'), key };
}

function byName<Part extends { readonly name: string }>(
  parts: readonly Part[],
  where: string,
  findings: SchemaFindings,
): ReadonlyMap<string, Part> {
  const map = new Map<string, Part>();
  for (const part of parts) {
    if (map.has(part.name)) findings.errors.push(`${where}: ${part.name} is used twice.`);
    map.set(part.name, part);
  }
  return map;
}
