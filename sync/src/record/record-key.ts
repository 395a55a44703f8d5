/** Identifies a record by its Helium table and its id, which both platforms share. */
export interface RecordKey {
  /** Lower-case name of the Helium table. */
  readonly table: string;
  /** Lower-case UUID. */
  readonly id: string;
}

/** Returns the key as one string, for maps and sets. */
export function keyText({ table, id }: RecordKey): string {
  return `${table}/${id}`;
}

/** A map by record key that needs no string per lookup. */
export class KeyMap<Value> {
  readonly #byTable = new Map<string, Map<string, Value>>();

  get({ table, id }: RecordKey): Value | undefined {
    return this.#byTable.get(table)?.get(id);
  }

  has({ table, id }: RecordKey): boolean {
    return this.#byTable.get(table)?.has(id) ?? false;
  }

  set({ table, id }: RecordKey, value: Value): void {
    const byId = this.#byTable.get(table);
    if (byId) byId.set(id, value);
    else this.#byTable.set(table, new Map([[id, value]]));
  }

  get size(): number {
    let size = 0;
    for (const byId of this.#byTable.values()) size += byId.size;
    return size;
  }

  *values(): Generator<Value> {
    for (const byId of this.#byTable.values()) yield* byId.values();
  }
}
