/** Writes a file that lost a conflict into Helium's row again, as an ordinary edit of that row. */
import { inTransaction, type Pool } from '@portal/kit/postgres/pool';
import { Conflict } from '@portal/kit/problems';
import { isContention } from '../helium/database-failures.ts';
import type { Db } from '../helium/helium-gateway.ts';
import { withLimitedWaits } from '../helium/limit-waits.ts';
import { openHeliumGateway } from '../helium/open-helium-gateway.ts';
import { toBlobValue } from '../journey/known-attachments.ts';
import { isSameContent } from '../record/file-value.ts';
import {
  type KeptFileLimits,
  keepRowFiles,
  linkFiles,
  readKeptBytes,
  readKeptFile,
} from '../sync-state/conflict-files.store.ts';
import { readAcceptedMapping } from '../sync-state/find-record.store.ts';
import { createLockWait, lockedReason, lockRow } from './lock-row.ts';

interface RestoreParts {
  readonly pool: Pool;
  /** See `HeliumGateway`. */
  readonly reading: Pool;
  readonly stateId: number;
  /** The app's schema. */
  readonly schema: string;
  readonly limits: KeptFileLimits;
}

/**
 * Returns null when the file is not kept any more. The file that it replaces is kept with the same
 * conflict; where it cannot be kept, nothing is restored.
 */
export async function restoreFile(
  parts: RestoreParts,
  no: string,
): Promise<{ readonly table: string; readonly id: string; readonly column: string } | null> {
  try {
    return await inTransaction(parts.pool, (db) => withLimitedWaits(db, () => restore(parts, db, no)));
  } catch (error) {
    if (!isContention(error)) throw error;
    throw new Conflict(lockedReason, { cause: error });
  }
}

async function restore({ pool, reading, stateId, schema, limits }: RestoreParts, db: Db, no: string) {
  const file = await readKeptFile(db, stateId, no);
  if (!file) return null;
  const { key, column, fileName, mediaType } = file;
  const mapping = await readAcceptedMapping(db, stateId);
  const map = mapping?.objects.find(({ table }) => table === key.table);
  if (!map?.fields.some((field) => field.column === column && field.kind === 'blob'))
    throw new Conflict(`${column} of ${key.table} is not synced as a file. Download the file instead.`);
  const helium = openHeliumGateway({ pool, reading, schema });
  const row = await lockRow(db, helium, { map, id: key.id, wait: createLockWait() });
  if (!row)
    throw new Conflict(
      `Helium no longer has ${key.table} ${key.id}. Download the file, and add it to a record in the app.`,
    );
  const parts: Buffer[] = [];
  for await (const part of readKeptBytes(db, file)) parts.push(part);
  const bytes = Buffer.concat(parts);
  const value = toBlobValue(bytes);
  if (isSameContent(row.fields[column], value)) throw new Conflict(`${key.table} ${key.id} has this file already.`);
  const replaced = await keepRowFiles(db, { stateId, schema, limits }, key, [column]);
  if ('problem' in replaced)
    throw new Conflict(`The file that ${key.table} ${key.id} has now cannot be kept. ${replaced.problem}`);
  await linkFiles(db, replaced.numbers, file.conflict);
  const [outcome] = await helium.write(
    db,
    [map],
    [
      {
        key,
        fields: { [column]: value },
        isInsert: false,
        changedAtMs: Date.now(),
        blobs: { [column]: { bytes, fileName, mediaType } },
      },
    ],
  );
  if (outcome?.status === 'written') return { ...key, column };
  const reason = outcome && 'reason' in outcome ? outcome.reason : 'its record lacks what it references.';
  throw new Conflict(`Helium rejected the file: ${reason}`);
}
