/**
 * Decides how a changed data model affects a mapping. Additions go live and are read in full once.
 * An object that lost something it was synced with is suspended and reported until an operator
 * saves the configuration.
 */
import { compareMappings, type MappingChange, type UnknownColumn } from './compare-mappings.ts';
import type { FieldMap, Mapping, ObjectMap } from './object-map.ts';

/** A mapping as it is stored. */
export interface AcceptedMapping extends Mapping {
  /** Tables that do not sync. Their changes in the meantime are in no log that will be read. */
  readonly suspendedTables?: readonly string[];
}

interface MappingAcceptance {
  /** Without the suspended objects. */
  readonly live: Mapping;
  /** The mapping to store: the live objects, and the suspended ones as they were last synced. */
  readonly accepted: AcceptedMapping;
  /** Tables to read in full. */
  readonly newTables: readonly string[];
  /** Columns to forget before these tables are read. */
  readonly unknown: readonly UnknownColumn[];
  readonly additive: readonly MappingChange[];
  readonly breaking: readonly MappingChange[];
}

/**
 * @param before the mapping that was accepted last
 * @param isSaved whether the configuration was saved since, which accepts all differences
 */
export function acceptMapping(before: AcceptedMapping, now: Mapping, isSaved: boolean): MappingAcceptance {
  const { additive, breaking, unknown } = compareMappings(before, now);
  const broken = new Set(breaking.map(({ table }) => table));
  const suspendedTables = isSaved ? new Set<string>() : broken;
  const known = new Set(before.objects.map(({ table }) => table));
  const live = { ...now, objects: now.objects.filter(({ table }) => !suspendedTables.has(table)) };
  const suspended = before.objects.filter(({ table }) => suspendedTables.has(table));
  const objects = [...live.objects, ...suspended.map((map) => withLostFields(map, breaking))];
  const accepted = { ...now, objects, suspendedTables: [...suspendedTables] };
  const changed = new Set([...broken, ...additive.map(({ table }) => table), ...(before.suspendedTables ?? [])]);
  const newTables = live.objects
    .filter(({ table }) => !known.has(table) || changed.has(table))
    .map(({ table }) => table);
  return {
    live,
    accepted,
    newTables,
    unknown: unknown.filter(({ table }) => newTables.includes(table)),
    additive,
    breaking: isSaved ? [] : breaking,
  };
}

/**
 * Marks the fields that a suspended object has lost. If they return before a save, nothing else
 * shows that their values may have gone in the meantime.
 */
function withLostFields(map: ObjectMap, breaking: readonly MappingChange[]): ObjectMap {
  const lost = new Set(breaking.filter(({ table }) => table === map.table).map(({ field }) => field?.toLowerCase()));
  const mark = (field: FieldMap) => (lost.has(field.field.toLowerCase()) ? { ...field, isLost: true } : field);
  return { ...map, fields: map.fields.map(mark) };
}
