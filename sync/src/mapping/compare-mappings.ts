/** Tells additions from breaking changes when the data models of a running integration change. */
import type { FieldMap, Mapping, ObjectMap } from './object-map.ts';

export interface MappingChange {
  readonly table: string;
  readonly model: string;
  /** Journey's name of the field; absent where it concerns the whole object. */
  readonly field?: string;
  /** A sentence. */
  readonly change: string;
}

interface MappingChanges {
  /** Goes live automatically: newly synced, in another direction, or under another name. */
  readonly additive: readonly MappingChange[];
  /** Halts the object it concerns, because values would be lost or could no longer be synced. */
  readonly breaking: readonly MappingChange[];
}

/** Objects are the same when their tables are, fields when their columns are. */
export function compareMappings(before: Mapping, after: Mapping): MappingChanges {
  const additive: MappingChange[] = [];
  const breaking: MappingChange[] = [];
  const reasonOf = (about: Partial<FieldMap> & { readonly table: string }) =>
    after.notes.find(({ table, field }) => table === about.table && field === about.field)?.reason;

  for (const [was, is] of pairsOf(before.objects, after.objects, ({ table }) => table)) {
    const known = is ?? was;
    if (!known) continue;
    const names = { table: known.table, model: known.model };
    if (!is) breaking.push({ ...names, change: because('It can no longer be synced.', reasonOf(names)) });
    else if (!was) additive.push({ ...names, change: 'It is synced from now on.' });
    else {
      additive.push(...changesOfObject(was, is).map((change) => ({ ...names, change })));
      for (const [field, newField] of pairsOf(was.fields, is.fields, ({ column }) => column)) {
        const about = { ...names, field: (newField ?? field)?.field ?? '' };
        const broken = field && breakOf(field, newField);
        if (broken) breaking.push({ ...about, change: because(broken, reasonOf(about)) });
        else additive.push(...changesOfField(field, newField).map((change) => ({ ...about, change })));
      }
    }
  }
  return { additive, breaking };
}

function changesOfObject(was: ObjectMap, is: ObjectMap): string[] {
  return [
    ...(was.model === is.model ? [] : [`Journey calls it ${is.model} now, and ${was.model} before.`]),
    ...(was.toJourney === is.toJourney ? [] : [`Its changes ${is.toJourney ? 'go' : 'no longer go'} to Journey.`]),
    ...(was.toHelium === is.toHelium ? [] : [`Its changes ${is.toHelium ? 'go' : 'no longer go'} to Helium.`]),
  ];
}

function breakOf(was: FieldMap, is: FieldMap | undefined): string | null {
  if (!is) return 'It can no longer be synced.';
  if (was.kind !== is.kind) return `It is synced as ${is.kind} now, and as ${was.kind} before.`;
  if (was.references !== is.references)
    return `It points at ${is.references ?? 'anything'} now, and at ${was.references ?? 'anything'} before.`;
  // A choice made before may now be shown as empty, which would clear the other side.
  const gone = (was.choices ?? []).filter((key) => !is.choices?.includes(key));
  if (gone.length > 0) return `It can no longer be ${gone.join(', ')}.`;
  return null;
}

function changesOfField(was: FieldMap | undefined, is: FieldMap | undefined): string[] {
  if (!is) return [];
  if (!was) return ['It is synced from now on.'];
  return [
    ...(was.field === is.field ? [] : [`Journey calls it ${is.field} now, and ${was.field} before.`]),
    ...(was.attachment === is.attachment ? [] : [`Journey keeps it as ${is.attachment} now.`]),
    ...newChoices(was, is).map((key) => `It can be ${key} from now on.`),
  ];
}

function newChoices({ choices: known = [] }: FieldMap, { choices = [] }: FieldMap): string[] {
  return choices.filter((key) => !known.includes(key));
}

function because(change: string, reason: string | undefined): string {
  return reason === undefined ? change : `${change} ${reason}`;
}

/** What each key was and is, in the order of the keys. */
function pairsOf<T>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (one: T) => string,
): (readonly [T | undefined, T | undefined])[] {
  const was = new Map(before.map((one) => [keyOf(one), one]));
  const is = new Map(after.map((one) => [keyOf(one), one]));
  return [...new Set([...was.keys(), ...is.keys()])].sort().map((key) => [was.get(key), is.get(key)] as const);
}
