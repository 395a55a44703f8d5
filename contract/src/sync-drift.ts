/** The difference between the two sides of an integration at each full comparison. */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { light } from './rules.ts';
import { appIdSchema } from './sync-config.ts';

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
});
export type DriftPoint = z.infer<typeof driftPointSchema>;

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
