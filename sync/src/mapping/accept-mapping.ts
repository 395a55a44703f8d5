/**
 * Decides what a changed data model means. Additions go live and are read whole once. An object
 * that lost something it was synced with stops syncing, and the difference is reported, until an
 * operator saves the configuration.
 */
import { compareMappings, type MappingChange } from './compare-mappings.ts';
import type { Mapping } from './object-map.ts';

/** A mapping as it is saved. */
export interface AcceptedMapping extends Mapping {
  /**
   * Tables that do not sync: what changes in them in the meantime is in no log that will be read.
   */
  readonly still?: readonly string[];
}

interface MappingAcceptance {
  /** Without the objects that do not sync. */
  readonly live: Mapping;
  /** To be saved: the live objects, and those that do not sync as they were when they last did. */
  readonly accepted: AcceptedMapping;
  /** Tables to be read whole. */
  readonly fresh: readonly string[];
  readonly additive: readonly MappingChange[];
  readonly breaking: readonly MappingChange[];
}

/**
 * @param before what was accepted last
 * @param isSaved the configuration was saved since, which accepts all differences
 */
export function acceptMapping(before: AcceptedMapping, now: Mapping, isSaved: boolean): MappingAcceptance {
  const { additive, breaking } = compareMappings(before, now);
  const broken = new Set(breaking.map(({ table }) => table));
  const still = isSaved ? new Set<string>() : broken;
  const known = new Set(before.objects.map(({ table }) => table));
  const live = { ...now, objects: now.objects.filter(({ table }) => !still.has(table)) };
  const objects = [...live.objects, ...before.objects.filter(({ table }) => still.has(table))];
  const accepted = { ...now, objects, still: [...still] };
  const changed = new Set([...broken, ...additive.map(({ table }) => table), ...(before.still ?? [])]);
  const fresh = live.objects.filter(({ table }) => !known.has(table) || changed.has(table)).map(({ table }) => table);
  return { live, accepted, fresh, additive, breaking: isSaved ? [] : breaking };
}
