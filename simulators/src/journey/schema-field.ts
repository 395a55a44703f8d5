import { type Field, type FieldType, fieldTypes, type Option } from './data-model.ts';
import { isName, reservedFields, type SchemaFindings, textSubtypes } from './schema-names.ts';
import type { XmlElement } from './xml-element.ts';

/** Reads a field and records its errors. */
export function readField(element: XmlElement, model: string, findings: SchemaFindings): Field {
  const name = element.attributes.get('name') ?? '';
  const where = `${model}, field ${name || '(without a name)'}`;
  if (!isName(name))
    findings.errors.push(`${where}: the name must consist of letters, digits, and _, and start with a letter.`);
  if (reservedFields.has(name)) findings.errors.push(`${where}: the name is reserved.`);
  if (name.endsWith('_id')) findings.warnings.push(`${where}: a name that ends with _id looks like a relation.`);
  const label = element.attributes.get('label') ?? '';
  if (!element.attributes.has('label')) findings.errors.push(`${where}: a label is required.`);
  const [typeName = '', subtype] = (element.attributes.get('type') ?? '').split(':');
  const type = fieldTypes.find((known) => known === typeName);
  if (type === undefined) findings.errors.push(`${where}: there is no type "${typeName}".`);
  if (subtype !== undefined && !(type === 'text' && textSubtypes.has(subtype)))
    findings.errors.push(`${where}: ${typeName} has no subtype "${subtype}".`);
  const options = readOptions(element, type ?? 'text', where, findings);
  const media = element.attributes.get('media');
  if (media !== undefined && type !== 'attachment') findings.errors.push(`${where}: only attachments have a media.`);
  if (type === 'attachment' && !/^(any|[a-z]+\/[a-z0-9.+-]+)$/.test(media ?? ''))
    findings.errors.push(`${where}: an attachment needs a media type, or "any".`);
  return {
    name,
    label,
    type: type ?? 'text',
    subtype: subtype ?? null,
    options,
    ...(media !== undefined && { media }),
  };
}

const noAndYes: readonly Option[] = [
  { key: false, display: 'No' },
  { key: true, display: 'Yes' },
];

function readOptions(element: XmlElement, type: FieldType, where: string, findings: SchemaFindings): readonly Option[] {
  const options = element.children
    .filter((child) => child.name === 'option')
    .map(({ attributes, text }, index) => {
      const key = attributes.get('key') ?? (type.endsWith('-integer') ? String(index) : undefined);
      return { key: toKey(key, type, where, findings), display: text };
    });
  if (new Set(options.map(({ key }) => key)).size < options.length)
    findings.errors.push(`${where}: two options have the same key.`);
  if (type === 'boolean') {
    if (options.length === 1) findings.errors.push(`${where}: a boolean has no options, or both.`);
    return noAndYes.map((standard) => options.find(({ key }) => key === standard.key) ?? standard);
  }
  const isChoice = type.includes('choice');
  if (!isChoice && options.length > 0) findings.errors.push(`${where}: only booleans and choices have options.`);
  return options;
}

function toKey(text: string | undefined, type: FieldType, where: string, findings: SchemaFindings): Option['key'] {
  if (text === undefined) {
    findings.errors.push(`${where}: an option needs a key.`);
    return '';
  }
  if (type === 'boolean') {
    if (text !== 'true' && text !== 'false') findings.errors.push(`${where}: "${text}" is not true or false.`);
    return text === 'true';
  }
  if (!type.endsWith('-integer')) return text;
  if (!/^-?\d{1,9}$/.test(text)) findings.errors.push(`${where}: "${text}" is not an integer.`);
  return Number(text);
}
