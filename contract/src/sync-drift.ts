/** How far both sides of an integration were apart, each time they were compared whole. */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

export const driftPointSchema = z.object({
  table: z.string(),
  at: z.string(),
  /** How many records each side had, before anything was mended. */
  helium: z.number(),
  journey: z.number(),
  /** Records that differed though everything had been carried over: mended. */
  drifted: z.number(),
});
export type DriftPoint = z.infer<typeof driftPointSchema>;

export const getDrift = endpoint({
  method: 'GET',
  path: '/drift/:appId',
  summary: 'What each comparison of both sides found within the last 30 days, per table, the oldest first',
  access: 'session',
  takes: null,
  answers: z.array(driftPointSchema),
});
