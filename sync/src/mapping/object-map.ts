/** Maps one Helium object to one Journey model. Made by `pair-models.ts`, read by both ends. */

export type FieldKind =
  | 'text'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'date'
  | 'datetime'
  /** An enum: a text on Helium's side, the key of a single choice on Journey's. */
  | 'choice'
  /** A relation: `{name}_fk` on Helium's side, `{name}_id` on Journey's. */
  | 'reference'
  /** bytea with its name, type and size beside it; photo, signature or attachment. */
  | 'blob';

export interface FieldMap {
  /** Helium's column, lower-case: 'purchasedon', 'region_fk'. */
  readonly column: string;
  /**
   * Journey's field as its data model writes it: 'purchasedOn'; for a reference the relation's
   * name, 'region'.
   */
  readonly field: string;
  readonly kind: FieldKind;
  /** Of a reference: the Helium table it points at. */
  readonly references?: string;
  /** Of a choice: the keys Journey takes. */
  readonly choices?: readonly string[];
  /** Of a blob: what Journey calls it. */
  readonly attachment?: 'photo' | 'signature' | 'attachment';
}

export interface ObjectMap {
  /** Helium's table, lower-case. */
  readonly table: string;
  /** Journey's model as its data model writes it. */
  readonly model: string;
  readonly fields: readonly FieldMap[];
  /** Whether changes of the table go to Journey: false when it is one of the skip tables. */
  readonly toJourney: boolean;
  /** Whether changes of the model come to Helium: false when it is one of the skip object types. */
  readonly toHelium: boolean;
}

/** Why an object or a field is not synced; shown to people by field. */
export interface MappingNote {
  readonly severity: 'refused' | 'left-out';
  readonly table?: string;
  readonly model?: string;
  readonly field?: string;
  readonly reason: string;
}

export interface Mapping {
  /** Parents before children, as far as there is such an order. */
  readonly objects: readonly ObjectMap[];
  readonly notes: readonly MappingNote[];
  /** Of everything the mapping was made from: when it changes, the mapping is made again. */
  readonly fingerprint: string;
}
