/**
 * Maps one Helium object to one Journey model. Built by `pair-models.ts`, used for both platforms.
 */

import type { FileType } from '@portal/platforms/journey/file-content';
import type { AddedDefault } from './helium-catalog.ts';

export type FieldKind =
  | 'text'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'date'
  | 'datetime'
  /** An enum: a string in Helium, the key of a single choice in Journey. */
  | 'choice'
  /** A relation: `{name}_fk` in Helium, `{name}_id` in Journey. */
  | 'reference'
  /**
   * A bytea column with columns for its name, type and size; a photo, signature or attachment in
   * Journey.
   */
  | 'blob';

/**
 * A type of Helium's column with other values than the usual type of its kind: `integer`, `double
 * precision`, `text`, `timestamp without time zone`.
 */
export type Storage = 'smallint' | 'bigint' | 'real' | 'numeric' | 'char' | 'timestamptz';

/** What a field's values come from. A name alone may belong to another column or field later. */
interface FieldSource {
  /** PostgreSQL's number of the column. */
  readonly attribute: number;
  /** The types of the column and of Journey's field. */
  readonly columnType: string;
  readonly fieldType: string;
  /** See `Column`. */
  readonly added?: AddedDefault;
}

export interface FieldMap {
  /** Helium's column in lower case: 'purchasedon', 'region_fk'. */
  readonly column: string;
  /**
   * Journey's field as the data model spells it, such as 'purchasedOn'; the relation's name for a
   * reference, such as 'region'.
   */
  readonly field: string;
  readonly kind: FieldKind;
  readonly storage?: Storage;
  /** For a reference, the Helium table it references. */
  readonly references?: string;
  /** For a choice, the keys that Journey accepts. */
  readonly choices?: readonly string[];
  /** For a blob, its type in Journey. */
  readonly attachment?: FileType['kind'];
  /** For an attachment, the media type it takes, or `any`. */
  readonly media?: string;
  /** Whether PostgreSQL computes the column, so that it is never written. */
  readonly isComputed?: boolean;
  /** Whether PostgreSQL fills the column of a new row that has no value for it. */
  readonly hasDefault?: boolean;
  /** For a blob, a reference or a column with a default, whether it may not be null in Helium. */
  readonly isRequired?: boolean;
  /** For a blob, whether Helium has a column for its name. */
  readonly isNamed?: boolean;
  readonly source?: FieldSource;
  /** Of a suspended object: whether its values, or some of them, could no longer be synced. */
  readonly isLost?: boolean;
}

export interface ObjectMap {
  /** Helium's table in lower case. */
  readonly table: string;
  /** PostgreSQL's object id of the table. */
  readonly oid?: string;
  /** See `Table`. */
  readonly width?: number;
  /** Journey's model as the data model spells it. */
  readonly model: string;
  readonly fields: readonly FieldMap[];
  /** Whether changes of the table go to Journey; false for skipped tables. */
  readonly toJourney: boolean;
  /** Whether changes of the model come to Helium; false for skipped object types. */
  readonly toHelium: boolean;
}

/** Why an object or a field is not synced; shown to operators by field. */
export interface MappingNote {
  /** Only what is refused keeps a configuration from being saved. */
  readonly severity: 'refused' | 'warning' | 'left-out';
  readonly table?: string;
  readonly model?: string;
  readonly field?: string;
  readonly reason: string;
}

export interface Mapping {
  /** Parents before children, except in cycles. */
  readonly objects: readonly ObjectMap[];
  readonly notes: readonly MappingNote[];
  /**
   * Identifies everything the mapping was built from. When it changes, the mapping is built again.
   */
  readonly fingerprint: string;
}

/** Returns the tables with decimals that may have more digits than Journey can hold. */
export function findDecimalTables({ objects }: Pick<Mapping, 'objects'>): string[] {
  return objects.filter(({ fields }) => fields.some(({ storage }) => storage === 'numeric')).map(({ table }) => table);
}

/** Returns what a file's field takes. */
export function toFileType({ attachment = 'attachment', media }: Pick<FieldMap, 'attachment' | 'media'>): FileType {
  return { kind: attachment, ...(media !== undefined && { media }) };
}

/** Returns Helium's column for the name of a blob. */
export function toNameColumn(column: string): string {
  return `${column}_fname__`;
}
