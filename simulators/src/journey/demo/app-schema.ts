/** Creates the data model of the Journey app for a Helium app from the same objects. */
import type { ObjectDefinition } from '../../helium/model.ts';

/** Types without a counterpart in Journey: json, uuid, and 64-bit integers. */
const fieldTypes: Readonly<Record<string, string>> = {
  string: 'text',
  choice: 'text',
  int: 'integer',
  decimal: 'number',
  bool: 'boolean',
  date: 'date',
  datetime: 'datetime',
  blob: 'photo',
};

const namePattern = /^[A-Za-z][A-Za-z0-9_]*$/;

interface Relation {
  readonly from: ObjectDefinition;
  readonly name: string;
  readonly to: string;
}

/**
 * Returns `schema.xml`, without untracked objects, many-to-many relations, and the excluded
 * attributes.
 */
export function createAppSchema(
  objects: readonly ObjectDefinition[],
  excluded: ReadonlySet<string> = new Set(),
): string {
  const tracked = objects.filter((object) => object.tracked);
  const isIncluded = (name: string) => tracked.some((object) => object.name === name);
  const relations = tracked.flatMap((from) =>
    Object.entries(from.toOne).flatMap(([name, to]) => (isIncluded(to) ? [{ from, name, to }] : [])),
  );
  const models = tracked.map((object) => modelXml(object, relations, excluded));
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<data-model>', ...models, '</data-model>', ''].join('\n');
}

export function toModelName(objectName: string): string {
  return objectName.charAt(0).toLowerCase() + objectName.slice(1);
}

function modelXml(object: ObjectDefinition, relations: readonly Relation[], excluded: ReadonlySet<string>): string {
  const fields = Object.entries(object.attributes).flatMap(([name, { type }]) => {
    const journeyType = fieldTypes[type];
    if (journeyType === undefined || excluded.has(name) || !namePattern.test(name)) return [];
    return { name, type: name === 'name' ? `${journeyType}:name` : journeyType };
  });
  // A model needs a display, even one without a text.
  const displayField = fields.find(({ type }) => type.startsWith('text')) ?? fields[0];
  const parents = relations.filter(({ from }) => from === object);
  const children = relations.filter(({ to }) => to === object.name);
  const modelName = toModelName(object.name);
  return [
    `  <model name="${modelName}" label="${toLabel(object.name)}">`,
    ...fields.map(({ name, type }) => `    <field name="${name}" label="${toLabel(name)}" type="${type}"/>`),
    ...parents.map(({ name, to }) => `    <belongs-to model="${toModelName(to)}" name="${name}"/>`),
    ...children.map((relation) => {
      const model = toModelName(relation.from.name);
      return `    <has-many model="${model}" name="${getInverseName(relation, children)}" inverse-of="${relation.name}"/>`;
    }),
    `    <display>${displayField ? `{${displayField.name}}` : toLabel(object.name)}</display>`,
    `    <webhook type="update" name="${modelName}_update"/>`,
    '  </model>',
  ].join('\n');
}

/** Returns `visits`, or `visitsOfFirst` when a model has several relations to the same one. */
function getInverseName({ from, name }: Relation, children: readonly Relation[]): string {
  const plural = `${toModelName(from.name)}s`;
  const isOnly = children.filter((other) => other.from === from).length === 1;
  return isOnly ? plural : `${plural}Of${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Turns 'unitPrice' into 'Unit price'. */
function toLabel(name: string): string {
  const text = name.replaceAll(/(?<=[a-z0-9])([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
