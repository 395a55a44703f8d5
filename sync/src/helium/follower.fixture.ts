/** Follows a change log into a mirror with any reader, and reports at the end what it missed. */

import type { ObjectMap } from '../mapping/object-map.ts';
import type { Fields } from '../record/fields.ts';
import { keyText, type RecordKey } from '../record/record-key.ts';
import { type HeliumFixture, schema } from './helium-gateway.fixture.ts';

export interface Page {
  readonly keys: readonly RecordKey[];
  /**
   * Applies what is logged, in the order of its numbers; only for readers that rely on the logged
   * operation.
   */
  readonly changes?: readonly (RecordKey & { readonly change: string })[];
  readonly cursor: string;
}

export interface ReadRequest {
  readonly fixture: HeliumFixture;
  readonly cursor: string;
  /** Called when the reader has found a writer it must wait for. */
  readonly onHeld: () => void;
  /** Runs during the read, at the worst moment for a reader that uses two queries. */
  readonly duringRead: () => Promise<void>;
}

export type Reader = (request: ReadRequest) => Promise<Page>;

export const correctReader: Reader = async ({ fixture, cursor, onHeld, duringRead }) => {
  await duringRead();
  const signal = new AbortController().signal;
  return fixture.gateway.readChangeLog({ cursor, point: null, limit: 100, signal, onHeld });
};

export interface Follower {
  /**
   * Reads one page and applies it. Resolves early, before the page is read, when the reader must
   * wait.
   */
  poll(duringRead?: () => Promise<void>): Promise<void>;
  /**
   * After the last writer has finished: the records whose change was skipped, and those that
   * differ.
   */
  settle(): Promise<{ readonly missed: string[]; readonly different: string[] }>;
}

export function createFollower(fixture: HeliumFixture, objects: readonly ObjectMap[], read: Reader): Follower {
  const mirror = new Map<string, Fields>();
  const pages: { readonly upTo: bigint; readonly keys: ReadonlySet<string> }[] = [];
  let cursor = '0';
  let reading: Promise<void> = Promise.resolve();

  async function readRows(keys: readonly RecordKey[]): Promise<Map<string, Fields>> {
    const found = new Map<string, Fields>();
    for (const map of objects) {
      const ids = keys.filter(({ table }) => table === map.table).map(({ id }) => id);
      const rows = await fixture.gateway.readRows(fixture.pool, map, ids);
      for (const { id, fields } of rows) found.set(keyText({ table: map.table, id }), fields);
    }
    return found;
  }

  async function readAndApply(onHeld: () => void, duringRead: () => Promise<void>): Promise<void> {
    const page = await read({ fixture, cursor, onHeld, duringRead });
    const rows = await readRows(page.keys);
    const changes =
      page.changes ?? page.keys.map((key) => ({ ...key, change: rows.has(keyText(key)) ? 'put' : 'delete' }));
    for (const { change, ...key } of changes) {
      const fields = rows.get(keyText(key));
      if (change === 'delete') mirror.delete(keyText(key));
      else if (fields) mirror.set(keyText(key), fields);
    }
    cursor = page.cursor;
    pages.push({ upTo: BigInt(page.cursor), keys: new Set(page.keys.map(keyText)) });
  }

  return {
    async poll(duringRead = async () => {}) {
      await reading;
      await new Promise<void>((goOn, fail) => {
        reading = readAndApply(goOn, duringRead);
        reading.then(goOn, fail);
      });
    },
    async settle() {
      await reading;
      for (let before: string | null = null; before !== cursor; ) {
        before = cursor;
        await readAndApply(
          () => {},
          async () => {},
        );
      }
      const { rows: log } = await fixture.pool.query<{ seq: string; table: string; id: string }>(
        `select seq, object_name as table, object_uuid as id from ${schema}.__he_sync_obj_change__`,
      );
      const missed = log.filter(({ seq, table, id }) => {
        const page = pages.find(({ upTo }) => BigInt(seq) <= upTo);
        return !page?.keys.has(keyText({ table, id }));
      });
      const truth = new Map<string, Fields>();
      for (const map of objects) {
        const rows = await fixture.gateway.readRowsAfter(fixture.pool, map, null, 1_000_000);
        for (const { id, fields } of rows) truth.set(keyText({ table: map.table, id }), fields);
      }
      const all = new Set([...truth.keys(), ...mirror.keys()]);
      const different = [...all].filter((key) => JSON.stringify(truth.get(key)) !== JSON.stringify(mirror.get(key)));
      return { missed: missed.map(keyText), different };
    },
  };
}
