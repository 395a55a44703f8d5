/** Describes an app's schema in Helium as the mapping needs it. */
export interface Column {
  readonly name: string;
  /**
   * As PostgreSQL writes it: 'integer', 'text', 'timestamp without time zone', 'bytea', 'character
   * varying(64)'.
   */
  readonly type: string;
  readonly isNullable: boolean;
  /** Of a `{relation}_fk`: the table its foreign key points at. */
  readonly references: string | null;
  /** ON DELETE of that key: 'set null', 'cascade', 'restrict', 'no action'. */
  readonly onDelete: string | null;
}

export interface Table {
  readonly name: string;
  readonly kind: 'table' | 'view' | 'materialized-view';
  /** Has Helium's tracking triggers: the columns alone prove nothing. */
  readonly isTracked: boolean;
  readonly columns: readonly Column[];
}

export interface HeliumCatalog {
  readonly schema: string;
  /** By name; without Helium's own `__…__` tables. */
  readonly tables: readonly Table[];
}
