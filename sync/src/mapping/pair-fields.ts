import { type FieldKindResult, findFieldKind } from './field-kinds.ts';
import { findFieldNameClash } from './find-name-clashes.ts';
import type { Column, Table } from './helium-catalog.ts';
import type { BelongsTo, Model, ModelField } from './journey-catalog.ts';
import { type FieldMap, type MappingNote, toNameColumn } from './object-map.ts';

interface PairedFields {
  /** Sorted by column. */
  readonly fields: readonly FieldMap[];
  readonly notes: readonly MappingNote[];
}

/** Helium's system columns: id, timestamp, and those the change log needs. */
const systemColumns: ReadonlySet<string> = new Set(['_id_', '_tstamp_', '_tx_id_', '_change_type_', '_change_seq_']);

/**
 * Pairs attributes of a table with fields of a model that have the same name, ignoring case. What
 * cannot be paired is noted.
 *
 * @param toHelium whether records of Journey become rows
 */
export function pairFields(table: Table, model: Model, toHelium: boolean): PairedFields {
  const columns = new Map(getAttributes(table).map((column) => [column.name.toLowerCase(), column]));
  const pairs = new Map<string, JourneySide[]>();
  for (const side of journeySides(model)) pairs.set(side.column, [...(pairs.get(side.column) ?? []), side]);

  const fields: FieldMap[] = [];
  const notes: MappingNote[] = [];
  for (const name of [...new Set([...columns.keys(), ...pairs.keys()])].sort()) {
    const paired = pairField(table, columns.get(name), pairs.get(name) ?? []);
    if ('column' in paired) {
      fields.push(paired);
      if (toHelium && paired.isComputed)
        notes.push({ ...toWarning(paired.field, computedReason), table: table.name, model: model.name });
    } else {
      const note = toHelium ? noteRequiredColumn(paired, columns.get(name)) : paired;
      notes.push({ ...note, table: table.name, model: model.name });
    }
  }
  return { fields, notes };
}

/** A field or a belongs-to, with the column it corresponds to in Helium. */
interface JourneySide {
  readonly column: string;
  readonly name: string;
  readonly field?: ModelField;
  readonly relation?: BelongsTo;
}

function journeySides(model: Model): JourneySide[] {
  return [
    ...model.fields.map((field) => ({ column: field.name.toLowerCase(), name: field.name, field })),
    ...model.belongsTo.map((relation) => ({
      column: `${relation.name.toLowerCase()}_fk`,
      name: relation.name,
      relation,
    })),
  ];
}

/**
 * Returns the columns without Helium's system columns, and without the name, type and size columns
 * of a blob.
 */
function getAttributes(table: Table): Column[] {
  const blobs = table.columns.filter(({ type }) => type === 'bytea').map(({ name }) => name);
  const blobDetailColumns = new Set(blobs.flatMap((name) => [toNameColumn(name), `${name}_mtype__`, `${name}_size__`]));
  return table.columns.filter(({ name }) => !systemColumns.has(name) && !blobDetailColumns.has(name));
}

const computedReason = 'Helium computes its value, so it is only synced to Journey.';

function pairField(table: Table, column: Column | undefined, sides: readonly JourneySide[]): FieldMap | MappingNote {
  const [side, other] = sides;
  if (side === undefined)
    return toSkippedNote(column?.name ?? '', "Journey's model has no counterpart for this attribute.");
  if (column === undefined) return toSkippedNote(side.name, "Helium's object has no counterpart for this field.");
  if (other !== undefined) return toWarning(side.name, `Journey's ${other.name} differs from it only in case.`);
  if (side.relation) return pairRelation(column, side.relation);
  const clash = findFieldNameClash(side.name);
  if (clash !== null) return toWarning(side.name, clash);

  const found: FieldKindResult = findFieldKind(column.type, side.field?.type ?? '');
  if ('reason' in found) return toWarning(side.name, found.reason);
  if (found.kind === 'blob' && column.isComputed)
    return toWarning(side.name, 'Helium computes this file, which cannot be synced.');
  const isChoice = found.kind === 'choice';
  const isNamed = found.kind === 'blob' && table.columns.some(({ name }) => name === toNameColumn(column.name));
  const media = found.attachment === 'attachment' ? side.field?.media : undefined;
  return {
    column: column.name,
    field: side.name,
    ...found,
    ...describeValueSource(column),
    ...(isChoice && { choices: side.field?.choices ?? [] }),
    ...((found.kind === 'blob' || column.hasDefault) && !column.isNullable && { isRequired: true }),
    ...toSource(column, side.field?.type ?? ''),
    ...(media !== undefined && { media }),
    ...(isNamed && { isNamed }),
  };
}

function pairRelation(column: Column, relation: BelongsTo): FieldMap | MappingNote {
  if (column.type !== 'uuid') return toWarning(relation.name, `Helium's ${column.name} is not a relation.`);
  const { references } = column;
  if (references !== null && references.toLowerCase() !== relation.model.toLowerCase())
    return toWarning(relation.name, `It references ${references} in Helium, but ${relation.model} in Journey.`);
  return {
    column: column.name,
    field: relation.name,
    kind: 'reference',
    ...describeValueSource(column),
    ...(!column.isNullable && { isRequired: true }),
    ...(references !== null && { references }),
    ...toSource(column, relation.model),
  };
}

/** Returns what sets the column where Journey does not. */
function describeValueSource({ isComputed, hasDefault }: Column): Pick<FieldMap, 'isComputed' | 'hasDefault'> {
  return { ...(isComputed && { isComputed }), ...(hasDefault && { hasDefault }) };
}

function toSource({ attribute, type, added }: Column, fieldType: string): Pick<FieldMap, 'source'> {
  if (attribute === undefined) return {};
  return { source: { attribute, columnType: type, fieldType, ...(added && { added }) } };
}

/** Helium rejects every new row that lacks a required value. */
function noteRequiredColumn(note: MappingNote, column: Column | undefined): MappingNote {
  if (!column || column.isNullable || column.hasDefault || column.isComputed) return note;
  const reason = `${note.reason} Helium requires a value, so it rejects new records from Journey.`;
  return { ...note, severity: 'warning', reason };
}

function toWarning(field: string, reason: string): MappingNote {
  return { severity: 'warning', field, reason };
}

function toSkippedNote(field: string, reason: string): MappingNote {
  return { severity: 'left-out', field, reason };
}
