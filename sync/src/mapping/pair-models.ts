/** Pairs tables with models that are the same object, and notes why the others are not synced. */
import { createHash } from 'node:crypto';
import { viewNoteReason } from '@portal/contract/sync-config';
import { findModelNameClash } from './find-name-clashes.ts';
import type { HeliumCatalog, Table } from './helium-catalog.ts';
import type { JourneyCatalog, Model } from './journey-catalog.ts';
import type { Mapping, MappingNote, ObjectMap } from './object-map.ts';
import { orderParentsFirst } from './order-parents-first.ts';
import { pairFields } from './pair-fields.ts';

export interface ModelsToPair {
  readonly catalog: HeliumCatalog;
  readonly models: JourneyCatalog;
  /** Tables whose changes stay in Helium, and models whose changes stay in Journey, in any case. */
  readonly skipTables: readonly string[];
  readonly skipObjectTypes: readonly string[];
  readonly enableHeliumToJourney: boolean;
  readonly enableJourneyToHelium: boolean;
}

/** Pure: the same catalogs and settings, in whatever order, are the same mapping. */
export function pairModels(pairing: ModelsToPair): Mapping {
  const tables = grouped(pairing.catalog.tables);
  const models = grouped(pairing.models.models);
  const skip = { tables: lowerCased(pairing.skipTables), models: lowerCased(pairing.skipObjectTypes) };
  const objects: ObjectMap[] = [];
  const notes: MappingNote[] = [];
  for (const name of [...new Set([...tables.keys(), ...models.keys()])].sort()) {
    const candidates = { tables: tables.get(name) ?? [], models: models.get(name) ?? [] };
    const toJourney = pairing.enableHeliumToJourney && !skip.tables.has(name);
    const toHelium = pairing.enableJourneyToHelium && !skip.models.has(name);
    const [table] = candidates.tables;
    const [model] = candidates.models;
    const note = toJourney || toHelium ? obstacle(candidates) : skippedNote(table, model);
    if (note) notes.push(note);
    else if (table && model) {
      const paired = pairFields(table, model);
      objects.push({ table: table.name, model: model.name, fields: paired.fields, toJourney, toHelium });
      notes.push(...paired.notes);
    }
  }
  return { objects: orderParentsFirst(objects), notes, fingerprint: fingerprintOf(pairing) };
}

interface Candidates {
  readonly tables: readonly Table[];
  readonly models: readonly Model[];
}

/** Why tables and models of one name are not one object; null when they are. */
function obstacle({ tables: [table, otherTable], models: [model, otherModel] }: Candidates): MappingNote | null {
  const names = namesOf(table, model);
  const refused = (reason: string): MappingNote => ({ severity: 'refused', ...names, reason });
  const leftOut = (reason: string): MappingNote => ({ severity: 'left-out', ...names, reason });
  if (!table) return leftOut('Helium has no object of this name.');
  if (isLinkTable(table)) {
    const reason = 'Journey has no many-to-many relations; mark it @NotTracked in Helium.';
    return model || table.isTracked ? refused(reason) : leftOut(reason);
  }
  if (table.kind !== 'table') return leftOut(viewNoteReason);
  if (!table.isTracked) return leftOut('It is not tracked in Helium.');
  if (!model) return leftOut('Journey has no object of this name.');
  if (otherModel) return refused(`Journey's ${otherModel.name} differs from it by case alone.`);
  if (otherTable) return refused(`Helium's ${otherTable.name} differs from it by case alone.`);
  const clash = findModelNameClash(model.name);
  return clash === null ? null : refused(clash);
}

function skippedNote(table: Table | undefined, model: Model | undefined): MappingNote {
  return { severity: 'left-out', ...namesOf(table, model), reason: 'It is skipped in both directions.' };
}

function namesOf(table: Table | undefined, model: Model | undefined): Pick<MappingNote, 'table' | 'model'> {
  return { ...(table && { table: table.name }), ...(model && { model: model.name }) };
}

/** Helium's table of a many-to-many relation has nothing but its two ends. */
function isLinkTable({ kind, columns }: Table): boolean {
  const names = new Set(columns.map(({ name }) => name));
  return kind === 'table' && !names.has('_id_') && names.has('left_fk') && names.has('right_fk');
}

function grouped<T extends { readonly name: string }>(all: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of byName(all)) {
    const name = one.name.toLowerCase();
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return groups;
}

function lowerCased(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.trim().toLowerCase()));
}

function byName<T extends { readonly name: string }>(all: readonly T[]): T[] {
  return [...all].sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
}

/** Labels and the order of things are no part of it, for the mapping does not depend on them. */
function fingerprintOf({ catalog, models, ...settings }: ModelsToPair): string {
  const facts = [
    byName(catalog.tables).map(({ name, kind, isTracked, columns }) => [
      name,
      kind,
      isTracked,
      byName(columns).map((column) => [
        column.name,
        column.type,
        column.isNullable,
        column.references,
        column.onDelete,
      ]),
    ]),
    byName(models.models).map(({ name, fields, belongsTo }) => [
      name,
      byName(fields).map((field) => [field.name, field.type, [...field.choices].sort()]),
      byName(belongsTo).map((relation) => [relation.name, relation.model]),
    ]),
    [...lowerCased(settings.skipTables)].sort(),
    [...lowerCased(settings.skipObjectTypes)].sort(),
    [settings.enableHeliumToJourney, settings.enableJourneyToHelium],
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}
