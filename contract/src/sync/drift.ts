/** The difference between the two sides of an integration at each full comparison. */
import * as z from 'zod/mini';
import { endpoint } from '../endpoint.ts';
import { light } from '../rules.ts';
import { appIdSchema } from './config.ts';

const driftPointSchema = z.object({
  table: z.string(),
  at: z.string(),
  /** Number of records on each side before any repair. */
  helium: z.number(),
  journey: z.number(),
  /** Records that differed although no change was pending; they were repaired. */
  drifted: z.number(),
  /**
   * Records that count as different because they were on hold: waiting, parked, dead or skipped.
   */
  held: z.number(),
  /**
   * Records that differ on a side whose changes are not read, and were left as they are: edits
   * there stay there.
   */
  leftAsIs: z.number(),
});
export type DriftPoint = z.infer<typeof driftPointSchema>;

/** A record that differs on a side that is written and whose changes are not read. */
const differentRecordSchema = z.object({
  table: z.string(),
  id: z.string(),
  /** The side that differs from what was written there. */
  side: z.enum(['helium', 'journey']),
  /**
   * changed: it has other values; missing: it has no such record; unsynced: the record was never
   * synced, because it is older than the version that the integration started from.
   */
  kind: z.enum(['changed', 'missing', 'unsynced']),
  foundAt: z.string(),
});
export type DifferentRecord = z.infer<typeof differentRecordSchema>;

/**
 * Compares all records of both sides, and repairs and logs differences. Runs in the background;
 * results appear in the log.
 */
export const auditDrift = endpoint({
  method: 'POST',
  path: '/audit-drift',
  summary: 'Compare and repair all records of both sides',
  may: 'sync.change',
  about: { app: 'appId' },
  recorded: { action: 'sync.audit-drift', description: 'Full comparison run' },
  cost: light(),
  request: z.object({ appId: appIdSchema }),
  response: z.object({ message: z.string() }),
});

export const getDrift = endpoint({
  method: 'GET',
  path: '/drift/:appId',
  summary: 'List what each comparison within the last 30 days found per table, the oldest first',
  may: 'sync.view',
  about: { app: 'appId' },
  recorded: false,
  cost: light(),
  request: null,
  response: z.array(driftPointSchema),
});

export const getDifferences = endpoint({
  method: 'GET',
  path: '/differences/:appId',
  summary: 'List records that differ on a side whose changes are not read, as the last comparison found',
  may: 'sync.view',
  about: { app: 'appId' },
  recorded: false,
  cost: light(),
  request: z.object({ limit: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(1000))) }),
  response: z.object({ records: z.array(differentRecordSchema), total: z.number() }),
});
