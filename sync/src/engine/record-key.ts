/** Which record: its Helium table and its id, which both platforms share. */
export interface RecordKey {
  /** Lower-case name of the Helium table. */
  readonly table: string;
  /** Lower-case UUID. */
  readonly id: string;
}

/** As one text, for maps and sets. */
export function keyText({ table, id }: RecordKey): string {
  return `${table}/${id}`;
}
