/**
 * What a changed data model means: additions go live, and are read whole once; an object that lost something it was
 * synced with stands still, with the difference told, until somebody saves the configuration.
 */
import { compareMappings, type MappingChange } from './compare-mappings.ts';
import type { Mapping } from './object-map.ts';

/** A mapping as it is remembered. */
export interface AcceptedMapping extends Mapping {
  /** Tables that stand still: what happened to them meanwhile is in no log any more that will be read. */
  readonly still?: readonly string[];
}

export interface Acceptance {
  /** Without the objects that stand still. */
  readonly live: Mapping;
  /** To be remembered: the live objects, and those that stand still as they were last synced. */
  readonly accepted: AcceptedMapping;
  /** Tables to be read whole. */
  readonly fresh: readonly string[];
  readonly additive: readonly MappingChange[];
  readonly breaking: readonly MappingChange[];
}

/**
 * @param before what was accepted last
 * @param isSaved somebody has saved the configuration since, and accepts whatever is
 */
export function acceptMapping(before: AcceptedMapping, now: Mapping, isSaved: boolean): Acceptance {
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
