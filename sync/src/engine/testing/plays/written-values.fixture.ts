/**
 * What people wrote and did not delete or overwrite since: every such value has to exist, whatever
 * is restored, and following whatever advice. It is computed from what people did and from the rows
 * they saw, never from the engine's state.
 */
import type { Fields, Value } from '../../../record/fields.ts';

/** Rows by `table/id`. */
export type Rows = Readonly<Record<string, Fields>>;

/** Where values are looked for. */
export interface Contents {
  readonly helium: Rows;
  readonly journey: Rows;
  /** All values in the lists of conflicts and of held records, by `table/id`. */
  readonly lists: ReadonlyMap<string, ReadonlySet<unknown>>;
}

interface Written {
  /** Whether it was not deleted. Otherwise only values written at the same time are expected. */
  isAlive: boolean;
  readonly values: Map<string, Set<Value>>;
}

/** Columns that exist on one side only. */
export const heliumOnly = 'extra';
export const journeyOnly = 'memo';

export class WrittenValues {
  readonly #records = new Map<string, Written>();

  /** @param before the row as the person saw it; null when they created it */
  write(key: string, before: Fields | null, change: Fields): void {
    const record = this.#records.get(key) ?? { isAlive: false, values: new Map<string, Set<Value>>() };
    this.#records.set(key, record);
    if (before === null) record.isAlive = true;
    for (const [column, value] of Object.entries(change)) {
      const values = record.values.get(column) ?? new Set();
      record.values.set(column, values);
      values.delete(before?.[column] ?? null);
      if (value !== null && this.#isKept(record, column, value)) values.add(value);
    }
  }

  /**
   * A deletion takes with it what the other side cannot see, and references to the record, also
   * when they are written before it arrives.
   */
  #isKept({ isAlive }: Written, column: string, value: Value): boolean {
    if (column === heliumOnly || column === journeyOnly) return isAlive;
    return column !== 'region_fk' || this.isAlive(`region/${value}`);
  }

  /** Deletes what the person saw. What the other side wrote at the same time stays expected. */
  delete(key: string, before: Fields): void {
    const record = this.#records.get(key);
    if (record) {
      record.isAlive = false;
      for (const [column, value] of Object.entries(before)) record.values.get(column)?.delete(value);
      for (const column of [heliumOnly, journeyOnly]) record.values.delete(column);
    }
    this.#clearReferences(key);
  }

  /** Deletes everything of a record, also what the other side wrote. */
  deleteWholly(key: string): void {
    this.#records.delete(key);
    this.#clearReferences(key);
  }

  isAlive(key: string): boolean {
    return this.#records.get(key)?.isAlive ?? false;
  }

  /** Expects no longer what exists nowhere: a person took it away, such as by a restore. */
  retain(contents: Contents): void {
    for (const [key, record] of this.#records) {
      record.isAlive &&= key in contents.helium || key in contents.journey;
      for (const [column, values] of record.values)
        for (const value of values) if (!isAnywhere(contents, key, column, value)) values.delete(value);
    }
    for (const [key, { isAlive }] of this.#records) if (!isAlive) this.#clearReferences(key);
  }

  /** Returns what is missing on both sides and in the lists. */
  findMissing(contents: Contents): string[] {
    return [...this.#records].flatMap(([key, { isAlive, values }]) => [
      ...(isAlive && !(key in contents.helium) && !(key in contents.journey) ? [`${key} is gone`] : []),
      ...[...values].flatMap(([column, all]) =>
        [...all]
          .filter((value) => !isAnywhere(contents, key, column, value))
          .map((value) => `${key}: ${column} ${JSON.stringify(value)} is gone`),
      ),
    ]);
  }

  #clearReferences(key: string): void {
    const [, id] = key.split('/');
    for (const { values } of this.#records.values()) values.get('region_fk')?.delete(id ?? null);
  }
}

function isAnywhere({ helium, journey, lists }: Contents, key: string, column: string, value: Value): boolean {
  return helium[key]?.[column] === value || journey[key]?.[column] === value || (lists.get(key)?.has(value) ?? false);
}

/** Returns what differs between both sides, except in records that are held. */
export function findDifferences(
  { helium, journey }: Pick<Contents, 'helium' | 'journey'>,
  held: ReadonlySet<string>,
): string[] {
  const withoutOneSided = (row: Fields | undefined) => {
    if (!row) return 'absent';
    const { [heliumOnly]: _extra, [journeyOnly]: _memo, ...fields } = row;
    return JSON.stringify(Object.entries(fields).sort());
  };
  return [...new Set([...Object.keys(helium), ...Object.keys(journey)])]
    .filter((key) => !held.has(key))
    .map((key) => ({ key, of: [withoutOneSided(helium[key]), withoutOneSided(journey[key])] }))
    .filter(({ of: [one, other] }) => one !== other)
    .map(({ key, of: [one, other] }) => `${key}: ${one} in Helium, ${other} in Journey`);
}
