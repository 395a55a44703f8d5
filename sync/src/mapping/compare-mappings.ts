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

/**
 * A column of which nothing is known any more: what either side has in it may be another column or
 * field, or what is left after a loss. No one has edited that.
 */
export interface UnknownColumn {
  readonly table: string;
  readonly column: string;
  /** Only records that are known to have one of these values; absent for all. */
  readonly values?: readonly string[];
}

interface MappingChanges {
  /**
   * Changes that go live automatically: newly synced, in another direction, or under another name.
   */
  readonly additive: readonly MappingChange[];
  /** Changes that suspend their object, because values would be lost or can no longer be synced. */
  readonly breaking: readonly MappingChange[];
  readonly unknown: readonly UnknownColumn[];
}

/**
 * Compares two mappings. Objects are the same when their tables are, fields when their columns are.
 * The values of two fields are the same only if both also come from the same column and types.
 */
export function compareMappings(before: Mapping, after: Mapping): MappingChanges {
  const additive: MappingChange[] = [];
  const breaking: MappingChange[] = [];
  const unknown: UnknownColumn[] = [];
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
        unknown.push(...findUnknown(was, is, [field, newField]));
        const about = { ...names, field: (newField ?? field)?.field ?? '' };
        const broken = field && findBreakingChange(field, newField);
        if (broken) breaking.push({ ...about, change: withReason(broken, findReason(about)) });
        else
          additive.push(
            ...describeFieldChanges(field, newField, isSameTable(was, is)).map((change) => ({ ...about, change })),
          );
      }
    }
  }
  return { additive, breaking, unknown };
}

function findUnknown(
  was: ObjectMap,
  is: ObjectMap,
  [field, newField]: readonly [FieldMap | undefined, FieldMap | undefined],
): UnknownColumn[] {
  if (!newField) return [];
  const about = { table: is.table, column: newField.column };
  const isSame =
    field !== undefined &&
    !field.isLost &&
    field.field === newField.field &&
    field.kind === newField.kind &&
    hasSameColumnType(field, newField) &&
    !isReplaced(field, newField, isSameTable(was, is)) &&
    field.source?.fieldType === newField.source?.fieldType;
  if (!isSame) return [about];
  const values = findDeletedChoices(field, newField);
  return values.length > 0 ? [{ ...about, values }] : [];
}

/** A table that was restored has other numbers. What became of its rows is another question. */
function isSameTable(was: ObjectMap, is: ObjectMap): boolean {
  return was.oid === is.oid;
}

function hasSameColumnType(was: FieldMap, is: FieldMap): boolean {
  return was.storage === is.storage && was.source?.columnType === is.source?.columnType;
}

function isReplaced({ source: was }: FieldMap, { source: is }: FieldMap, isSameTable: boolean): boolean {
  return isSameTable && was?.attribute !== is?.attribute;
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
  const removed = findDeletedChoices(was, is);
  if (removed.length > 0) return `Deleted ${removed.length === 1 ? 'choice' : 'choices'}: ${removed.join(', ')}.`;
  return null;
}

function findDeletedChoices({ choices = [] }: FieldMap, is: FieldMap): string[] {
  return choices.filter((key) => !is.choices?.includes(key));
}

function describeFieldChanges(was: FieldMap | undefined, is: FieldMap | undefined, isSameTable: boolean): string[] {
  if (!is) return [];
  if (!was) return ['It is now synced.'];
  const isBack = was.isLost || isReplaced(was, is, isSameTable);
  return [
    ...(isBack ? ['It is back: where one side has no value, it gets the one that the other side has.'] : []),
    ...(was.field === is.field ? [] : [`Journey renamed it from ${was.field} to ${is.field}.`]),
    ...(hasSameColumnType(was, is) ? [] : ["Its type in Helium's table has changed."]),
    ...(was.source?.fieldType === is.source?.fieldType ? [] : ['Its type in Journey has changed.']),
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
