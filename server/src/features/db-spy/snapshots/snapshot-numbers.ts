import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import type { CountersSnapshot } from '@portal/platforms/helium-database/statistics/counters-snapshot';
import { counterNames, type StatementCounters } from '@portal/platforms/helium-database/statistics/statement-columns';
import { z } from 'zod';

const columnSchema = z.array(z.number().nullable());
const packedSchema = z.object({ ids: z.array(z.string()), names: z.array(z.string()), columns: z.array(z.unknown()) });

/**
 * Packs the counters with their names, so that old snapshots remain readable when counters are
 * added.
 */
export async function packNumbers({ ids, counters }: CountersSnapshot): Promise<Buffer> {
  const packed: z.infer<typeof packedSchema> = { ids, names: [...counterNames], columns: counters };
  const json = JSON.stringify(packed);
  return promisify(gzip)(json, { level: constants.Z_BEST_SPEED });
}

/**
 * Returns the counters by statement id. Other requests run between the columns, because a snapshot
 * has tens of thousands of numbers.
 *
 * @param wanted The counters to read; others are zero or null.
 */
export async function unpackNumbers(
  packed: Buffer,
  wanted: readonly (keyof StatementCounters)[] = counterNames,
): Promise<Map<string, StatementCounters>> {
  const json = await promisify(gunzip)(packed);
  const { ids, names, columns } = packedSchema.parse(JSON.parse(json.toString()));
  const readColumn = async (name: keyof StatementCounters) => {
    if (!wanted.includes(name)) return [];
    await setImmediate();
    return columnSchema.parse(columns[names.indexOf(name)] ?? []);
  };
  const calls = await readColumn('calls');
  const total = await readColumn('total_time');
  const mean = await readColumn('mean_time');
  const stddev = await readColumn('stddev_time');
  const rows = await readColumn('rows');
  const plan = await readColumn('plan_time');
  const hit = await readColumn('pages_hit');
  const read = await readColumn('pages_read');
  const io = await readColumn('io_time');
  const temp = await readColumn('temp_bytes');
  const wal = await readColumn('wal_bytes');
  const since = await readColumn('counted_since');
  return new Map(
    ids.map((id, index) => [
      id,
      {
        calls: calls[index] ?? 0,
        total_time: total[index] ?? 0,
        mean_time: mean[index] ?? 0,
        stddev_time: stddev[index] ?? 0,
        rows: rows[index] ?? 0,
        plan_time: plan[index] ?? null,
        pages_hit: hit[index] ?? null,
        pages_read: read[index] ?? null,
        io_time: io[index] ?? null,
        temp_bytes: temp[index] ?? null,
        wal_bytes: wal[index] ?? null,
        counted_since: since[index] ?? null,
      },
    ]),
  );
}
