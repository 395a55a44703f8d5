/** Pairs tables and models that are the same object, and notes why the others are not synced. */
import { createHash } from 'node:crypto';
import { viewNoteReason } from '@portal/contract/sync/config';
import { findModelNameClash } from './find-name-clashes.ts';
import type { HeliumCatalog, Table } from './helium-catalog.ts';
import type { JourneyCatalog, Model } from './journey-catalog.ts';
import type { Mapping, MappingNote, ObjectMap } from './object-map.ts';
import { orderParentsFirst } from './order-parents-first.ts';
import { pairFields } from './pair-fields.ts';

export interface ModelsToPair {
  readonly catalog: HeliumCatalog;
  readonly models: JourneyCatalog;
  /**
   * Tables whose changes stay in Helium, and models whose changes stay in Journey; case is ignored.
   */
  readonly skipTables: readonly string[];
  readonly skipObjectTypes: readonly string[];
  readonly enableHeliumToJourney: boolean;
  readonly enableJourneyToHelium: boolean;
}

/**
 * Returns the same mapping for the same catalogs and settings, in whatever order they are listed.
 */
export function pairModels(pairing: ModelsToPair): Mapping {
  const tables = groupByName(pairing.catalog.tables);
  const models = groupByName(pairing.models.models);
  const skip = { tables: toLowerCaseSet(pairing.skipTables), models: toLowerCaseSet(pairing.skipObjectTypes) };
  const objects: ObjectMap[] = [];
  const notes: MappingNote[] = [];
  for (const name of [...new Set([...tables.keys(), ...models.keys()])].sort()) {
    const candidates = { tables: tables.get(name) ?? [], models: models.get(name) ?? [] };
    const toJourney = pairing.enableHeliumToJourney && !skip.tables.has(name);
    const toHelium = pairing.enableJourneyToHelium && !skip.models.has(name);
    const [table] = candidates.tables;
    const [model] = candidates.models;
    const note = toJourney || toHelium ? findObstacle(candidates) : toBothSkippedNote(table, model);
    if (note) notes.push(note);
    else if (table && model) {
      const paired = pairFields(table, model, toHelium);
      const { oid, width } = table;
      const facts = { ...(oid !== undefined && { oid }), ...(width !== undefined && { width }) };
      objects.push({ table: table.name, ...facts, model: model.name, fields: paired.fields, toJourney, toHelium });
      if (toJourney && table.hasDisabledTracking)
        notes.push({ severity: 'warning', table: table.name, model: model.name, reason: disabledTrackingReason });
      notes.push(...paired.notes);
    }
  }
  return { objects: orderParentsFirst(objects), notes, fingerprint: computeFingerprint(pairing) };
}

const hidesRowsReason =
  "Policies may hide rows of it from the portal's user, which would look deleted. Give the table to the role that owns the schema, whose members see all rows, or drop the policies.";

const disabledTrackingReason =
  'Helium does not log all of its changes, because its triggers named __he_sync_obj_… are disabled. Such a change reaches Journey only with a comparison. Enable these triggers.';

interface Candidates {
  readonly tables: readonly Table[];
  readonly models: readonly Model[];
}

/** Returns why tables and models of the same name cannot be paired; null when they can. */
function findObstacle({ tables: [table, otherTable], models: [model, otherModel] }: Candidates): MappingNote | null {
  const names = getNames(table, model);
  const toRefusedNote = (reason: string): MappingNote => ({ severity: 'refused', ...names, reason });
  const toSkippedNote = (reason: string): MappingNote => ({ severity: 'left-out', ...names, reason });
  if (!table) return toSkippedNote('Helium has no object with this name.');
  if (isLinkTable(table)) {
    const reason = 'Journey has no many-to-many relations; mark it @NotTracked in Helium.';
    return model || table.isTracked ? toRefusedNote(reason) : toSkippedNote(reason);
  }
  if (table.kind !== 'table') return toSkippedNote(viewNoteReason);
  if (table.hidesRows) return toRefusedNote(hidesRowsReason);
  if (!table.isTracked) return toSkippedNote('It is not tracked in Helium.');
  if (!model) return toSkippedNote('Journey has no object with this name.');
  if (otherModel) return toRefusedNote(`Journey's ${otherModel.name} differs from it only in case.`);
  if (otherTable) return toRefusedNote(`Helium's ${otherTable.name} differs from it only in case.`);
  const clash = findModelNameClash(model.name);
  return clash === null ? null : toRefusedNote(clash);
}

function toBothSkippedNote(table: Table | undefined, model: Model | undefined): MappingNote {
  return { severity: 'left-out', ...getNames(table, model), reason: 'It is skipped in both directions.' };
}

function getNames(table: Table | undefined, model: Model | undefined): Pick<MappingNote, 'table' | 'model'> {
  return { ...(table && { table: table.name }), ...(model && { model: model.name }) };
}

/** Helium's table of a many-to-many relation contains only its two references. */
function isLinkTable({ kind, columns }: Table): boolean {
  const names = new Set(columns.map(({ name }) => name));
  return kind === 'table' && !names.has('_id_') && names.has('left_fk') && names.has('right_fk');
}

function groupByName<T extends { readonly name: string }>(all: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of sortByName(all)) {
    const name = one.name.toLowerCase();
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return groups;
}

function toLowerCaseSet(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.trim().toLowerCase()));
}

function sortByName<T extends { readonly name: string }>(all: readonly T[]): T[] {
  return [...all].sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
}

/** Excludes labels and order, because the mapping does not depend on them. */
function computeFingerprint({ catalog, models, ...settings }: ModelsToPair): string {
  const facts = [
    sortByName(catalog.tables).map(({ name, oid, width, kind, isTracked, hidesRows, hasDisabledTracking, columns }) => [
      name,
      oid,
      width,
      kind,
      isTracked,
      hidesRows === true,
      hasDisabledTracking === true,
      sortByName(columns).map((column) => [
        column.name,
        column.attribute,
        column.added,
        column.type,
        column.isNullable,
        column.hasDefault,
        column.isComputed,
        column.references,
        column.onDelete,
      ]),
    ]),
    sortByName(models.models).map(({ name, fields, belongsTo }) => [
      name,
      sortByName(fields).map((field) => [field.name, field.type, [...field.choices].sort(), field.media]),
      sortByName(belongsTo).map((relation) => [relation.name, relation.model]),
    ]),
    [...toLowerCaseSet(settings.skipTables)].sort(),
    [...toLowerCaseSet(settings.skipObjectTypes)].sort(),
    [settings.enableHeliumToJourney, settings.enableJourneyToHelium],
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}
