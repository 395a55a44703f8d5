/** Describes an app's schema in Helium as far as the mapping needs it. */

/** What rows have in a column that was added after them, unless they were written since. */
export interface AddedDefault {
  /** As PostgreSQL writes it. */
  readonly text: string;
  /** The transaction that added the column. */
  readonly txId: string;
}

export interface Column {
  readonly name: string;
  /** PostgreSQL's number of the column. It is never used again after the column is dropped. */
  readonly attribute?: number;
  /**
   * As PostgreSQL writes it: 'integer', 'text', 'timestamp without time zone', 'bytea', 'character
   * varying(64)'.
   */
  readonly type: string;
  readonly isNullable: boolean;
  /** Whether PostgreSQL fills the column of a new row when it is given no value. */
  readonly hasDefault: boolean;
  /** Whether only PostgreSQL sets it: a generated column, or an identity `generated always`. */
  readonly isComputed: boolean;
  /** The default that older rows got when the column was added, if PostgreSQL still knows it. */
  readonly added?: AddedDefault | null;
  /** For a `{relation}_fk`, the table that its foreign key references. */
  readonly references: string | null;
  /** ON DELETE of the foreign key: 'set null', 'cascade', 'restrict', 'no action'. */
  readonly onDelete: string | null;
}

export interface Table {
  readonly name: string;
  /** PostgreSQL's object id: a table that was dropped and created again has another one. */
  readonly oid?: string;
  /** How many columns it has had, with those that were dropped. */
  readonly width?: number;
  readonly kind: 'table' | 'view' | 'materialized-view';
  /** Whether its policies may hide rows from the engine's login. */
  readonly hidesRows?: boolean;
  /** Whether it has Helium's tracking triggers. The columns alone are no proof. */
  readonly isTracked: boolean;
  /** Whether several rows may have one `_id_`: it has no unique index over this column alone. */
  readonly lacksKey?: boolean;
  /** Whether some of these triggers are disabled, so that not all changes are logged. */
  readonly hasDisabledTracking?: boolean;
  readonly columns: readonly Column[];
}

export interface HeliumCatalog {
  readonly schema: string;
  /** Sorted by name; without Helium's own `__…__` tables. */
  readonly tables: readonly Table[];
}
