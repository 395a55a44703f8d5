/**
 * Validates the references between models. There are only belongs-to and has-many relations, and a
 * has-many is the other end of a belongs-to.
 */
import {
  type BelongsTo,
  type HasMany,
  isAttachment,
  isMultipleChoice,
  type Model,
  referenceKey,
} from './data-model.ts';
import type { RawHasMany, RawModel } from './raw-model.ts';
import { isName, type SchemaFindings } from './schema-names.ts';

type RawModels = ReadonlyMap<string, RawModel>;

export function checkRelations(models: RawModels, findings: SchemaFindings): void {
  for (const model of models.values()) {
    checkBelongsTo(model, models, findings);
    checkHasMany(model, models, findings);
    checkIndexes(model, findings);
    checkDisplay(model, models, findings);
  }
}

/** Returns every model of a valid schema with both ends of each relation resolved. */
export function resolveHasMany(models: RawModels): ReadonlyMap<string, Model> {
  const resolved = new Map<string, Model>();
  for (const model of models.values()) {
    const hasMany = new Map<string, HasMany>();
    for (const relation of model.hasMany) {
      const [inverse] = findInverses(relation, model, models);
      hasMany.set(relation.name, { name: relation.name, model: relation.model, inverseOf: inverse?.name ?? '' });
    }
    const belongsTo = new Map<string, BelongsTo>();
    for (const relation of model.belongsTo.values()) {
      const far = models
        .get(relation.model)
        ?.hasMany.find((one) => one.model === model.name && (one.inverseOf ?? relation.name) === relation.name);
      belongsTo.set(relation.name, { ...relation, inverseOf: far?.name ?? null });
    }
    resolved.set(model.name, { ...model, belongsTo, hasMany });
  }
  return resolved;
}

function checkBelongsTo(model: RawModel, models: RawModels, { errors }: SchemaFindings): void {
  for (const relation of model.belongsTo.values()) {
    const where = `model ${model.name}, belongs-to ${relation.name}`;
    if (!isName(relation.name)) errors.push(`${where}: the name must consist of letters, digits, and _.`);
    if (!models.has(relation.model)) errors.push(`${where}: there is no model ${relation.model}.`);
    if (model.fields.has(relation.name)) errors.push(`${where}: a field already has this name.`);
    if (model.fields.has(referenceKey(relation))) errors.push(`${where}: a field is called ${referenceKey(relation)}.`);
  }
}

function checkHasMany(model: RawModel, models: RawModels, { errors }: SchemaFindings): void {
  for (const relation of model.hasMany) {
    const where = `model ${model.name}, has-many ${relation.name || '(without a name)'}`;
    if (!isName(relation.name)) errors.push(`${where}: a name is required.`);
    if (!models.has(relation.model)) {
      errors.push(`${where}: there is no model ${relation.model}.`);
      continue;
    }
    const inverses = findInverses(relation, model, models);
    if (inverses.length === 0) errors.push(`${where}: ${relation.model} has no matching belongs-to.`);
    if (inverses.length > 1)
      errors.push(`${where}: inverse-of must name one of ${inverses.map(({ name }) => name).join(', ')}.`);
  }
}

function findInverses({ model, inverseOf }: RawHasMany, owner: RawModel, models: RawModels): readonly BelongsTo[] {
  const candidates = [...(models.get(model)?.belongsTo.values() ?? [])].filter((one) => one.model === owner.name);
  return inverseOf === undefined ? candidates : candidates.filter(({ name }) => name === inverseOf);
}

/** Checks that the display names only fields, of the model or of those that it belongs to. */
function checkDisplay(model: RawModel, models: RawModels, { errors }: SchemaFindings): void {
  for (const [, path = ''] of (model.display ?? '').matchAll(/\{([^{}]+)\}/g)) {
    const steps = path.trim().split('.');
    const field = steps.pop() ?? '';
    let owner: RawModel | undefined = model;
    for (const step of steps) owner = models.get(owner?.belongsTo.get(step)?.model ?? '');
    if (!owner?.fields.has(field)) errors.push(`model ${model.name}: its display names ${path}, which does not exist.`);
  }
}

function checkIndexes(model: RawModel, { errors }: SchemaFindings): void {
  for (const { key } of model.indexes) {
    for (const name of Object.keys(key)) {
      const field = model.fields.get(name);
      const isRelation = model.belongsTo.has(name) || model.belongsTo.has(name.replace(/_id$/, ''));
      if (field === undefined && !isRelation)
        errors.push(`model ${model.name}: an index names ${name}, which does not exist.`);
      else if (field !== undefined && (isAttachment(field) || isMultipleChoice(field)))
        errors.push(`model ${model.name}: ${name} cannot be indexed.`);
    }
  }
}
