/**
 * Distinguishes additions from breaking changes when the data models of a running integration
 * change.
 */
import type { FieldMap, Mapping, ObjectMap } from './object-map.ts';

export interface MappingChange {
  readonly table: string;
  readonly model: string;
  /** Journey's name of the field; absent when the whole object is concerned. */
  readonly field?: string;
  /** One sentence for operators. */
  readonly change: string;
}

interface MappingChanges {
  /**
   * Changes that go live automatically: newly synced, in another direction, or under another name.
   */
  readonly additive: readonly MappingChange[];
  /** Changes that suspend their object, because values would be lost or can no longer be synced. */
  readonly breaking: readonly MappingChange[];
}

/**
 * Compares two mappings. Objects are the same when their tables are, fields when their columns are.
 */
export function compareMappings(before: Mapping, after: Mapping): MappingChanges {
  const additive: MappingChange[] = [];
  const breaking: MappingChange[] = [];
  const findReason = (about: Partial<FieldMap> & { readonly table: string }) =>
    after.notes.find(({ table, field }) => table === about.table && field === about.field)?.reason;

  for (const [was, is] of pairByKey(before.objects, after.objects, ({ table }) => table)) {
    const known = is ?? was;
    if (!known) continue;
    const names = { table: known.table, model: known.model };
    if (!is) breaking.push({ ...names, change: withReason('It can no longer be synced.', findReason(names)) });
    else if (!was) additive.push({ ...names, change: 'It is now synced.' });
    else {
      additive.push(...describeObjectChanges(was, is).map((change) => ({ ...names, change })));
      for (const [field, newField] of pairByKey(was.fields, is.fields, ({ column }) => column)) {
        const about = { ...names, field: (newField ?? field)?.field ?? '' };
        const broken = field && findBreakingChange(field, newField);
        if (broken) breaking.push({ ...about, change: withReason(broken, findReason(about)) });
        else additive.push(...describeFieldChanges(field, newField).map((change) => ({ ...about, change })));
      }
    }
  }
  return { additive, breaking };
}

function describeObjectChanges(was: ObjectMap, is: ObjectMap): string[] {
  return [
    ...(was.model === is.model ? [] : [`Journey renamed it from ${was.model} to ${is.model}.`]),
    ...(was.toJourney === is.toJourney ? [] : [`Its changes ${is.toJourney ? 'now' : 'no longer'} go to Journey.`]),
    ...(was.toHelium === is.toHelium ? [] : [`Its changes ${is.toHelium ? 'now' : 'no longer'} go to Helium.`]),
  ];
}

function findBreakingChange(was: FieldMap, is: FieldMap | undefined): string | null {
  if (!is) return 'It can no longer be synced.';
  if (was.kind !== is.kind) return `It is now synced as ${is.kind} instead of ${was.kind}.`;
  if (was.references !== is.references)
    return `It now references ${is.references ?? 'any object'} instead of ${was.references ?? 'any object'}.`;
  // A value with a deleted choice may now appear empty, which would clear the other side.
  const removed = (was.choices ?? []).filter((key) => !is.choices?.includes(key));
  if (removed.length > 0) return `Deleted ${removed.length === 1 ? 'choice' : 'choices'}: ${removed.join(', ')}.`;
  return null;
}

function describeFieldChanges(was: FieldMap | undefined, is: FieldMap | undefined): string[] {
  if (!is) return [];
  if (!was) return ['It is now synced.'];
  return [
    ...(was.field === is.field ? [] : [`Journey renamed it from ${was.field} to ${is.field}.`]),
    ...(was.storage === is.storage ? [] : ["Its type in Helium's table is another one."]),
    ...(was.isComputed === is.isComputed
      ? []
      : [is.isComputed ? 'Helium now computes it, so it only goes to Journey.' : 'Helium no longer computes it.']),
    ...(was.attachment === is.attachment ? [] : [`Journey now stores it as ${is.attachment}.`]),
    ...(was.media === is.media ? [] : [`Journey now takes files of the type ${is.media ?? 'any'}.`]),
    ...findNewChoices(was, is).map((key) => `New choice: ${key}.`),
  ];
}

function findNewChoices({ choices: known = [] }: FieldMap, { choices = [] }: FieldMap): string[] {
  return choices.filter((key) => !known.includes(key));
}

function withReason(change: string, reason: string | undefined): string {
  return reason === undefined ? change : `${change} ${reason}`;
}

/** Returns the items before and after for each key, sorted by key. */
function pairByKey<T>(
  before: readonly T[],
  after: readonly T[],
  getKey: (one: T) => string,
): (readonly [T | undefined, T | undefined])[] {
  const was = new Map(before.map((one) => [getKey(one), one]));
  const is = new Map(after.map((one) => [getKey(one), one]));
  return [...new Set([...was.keys(), ...is.keys()])].sort().map((key) => [was.get(key), is.get(key)] as const);
}
