import { isAttachment, referenceKey, type Webhook, type WebhookCondition } from './data-model.ts';
import type { RawModel } from './raw-model.ts';
import type { SchemaFindings } from './schema-names.ts';
import type { XmlElement } from './xml-element.ts';

type Owner = Pick<RawModel, 'name' | 'fields' | 'belongsTo'>;

const types: readonly Webhook['type'][] = ['ready', 'update'];
/** Receivers inside Journey. */
const receivers: ReadonlySet<string> = new Set(['cloudcode', 'pdfmailer']);

/**
 * Reads a webhook and records its errors. Returns none for a receiver inside Journey, to which the
 * simulator sends nothing.
 */
export function readWebhook({ attributes, children }: XmlElement, owner: Owner, findings: SchemaFindings): Webhook[] {
  const typeName = attributes.get('type') ?? '';
  const name = attributes.get('name') || `${owner.name}_${typeName}`;
  const where = `model ${owner.name}, webhook ${name}`;
  const type = types.find((known) => known === typeName);
  if (type === undefined) findings.errors.push(`${where}: the type must be ready or update.`);
  const receiver = attributes.get('receiver');
  if (receiver !== undefined && !receivers.has(receiver))
    findings.errors.push(`${where}: there is no receiver "${receiver}".`);
  if (receiver !== undefined && !attributes.get('action'))
    findings.errors.push(`${where}: a receiver needs an action.`);
  const conditions = children.flatMap((child) => readCondition(child, owner, where, findings));
  return type === undefined || receiver !== undefined ? [] : [{ name, type, conditions }];
}

/** Our choice, because administrators address webhooks by name. */
export function checkWebhookNames(models: Iterable<Pick<RawModel, 'webhooks'>>, { errors }: SchemaFindings): void {
  const names = new Set<string>();
  for (const { webhooks } of models) {
    for (const { name } of webhooks) {
      if (names.has(name)) errors.push(`There are two webhooks ${name}.`);
      names.add(name);
    }
  }
}

/** Returns none for an optional field. `embed` is accepted without an effect. */
function readCondition(
  { name: element, attributes }: XmlElement,
  { fields, belongsTo }: Owner,
  webhook: string,
  { errors }: SchemaFindings,
): WebhookCondition[] {
  if (element !== 'field') {
    errors.push(`${webhook}: <${element}> is not allowed.`);
    return [];
  }
  const name = attributes.get('name') ?? '';
  const where = `${webhook}, field ${name || '(without a name)'}`;
  const relation = belongsTo.get(name);
  const field = fields.get(name);
  if (relation === undefined && field === undefined) errors.push(`${where}: the model has no such field.`);
  for (const attribute of ['required', 'embed']) {
    const value = attributes.get(attribute) ?? 'true';
    if (value !== 'true' && value !== 'false') errors.push(`${where}: ${attribute} must be true or false.`);
  }
  const state = attributes.get('state') ?? 'present';
  if (state !== 'present' && state !== 'uploaded') errors.push(`${where}: the state must be present or uploaded.`);
  const isUploaded = state === 'uploaded';
  if (isUploaded && !(field && isAttachment(field))) errors.push(`${where}: only files are uploaded.`);
  if (attributes.get('required') === 'false') return [];
  return [{ key: relation ? referenceKey(relation) : name, isUploaded }];
}
