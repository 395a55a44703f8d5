import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

/** Something of the environment that somebody should look at. */
export const attentionSchema = z.object({
  kind: z.enum([
    'deployment',
    'halted-sync',
    'stale-sync',
    'late-sync',
    'failing-function',
    'disabled-app',
    'locked-app',
    'roster-gap',
  ]),
  /** What it is about: an app's name, a release. */
  title: z.string(),
  /** A sentence. */
  detail: z.string(),
  /** ISO instant it is about, where there is one. */
  at: z.nullable(z.string()),
  /** Where to look, as a route of the page: '/config/<app id>'. */
  route: z.string(),
});
export type Attention = z.infer<typeof attentionSchema>;

/**
 * Ours: of the caller's apps, the most pressing first. `problems`: parts that could not be looked
 * at, in words.
 */
export const getAttention = endpoint({
  method: 'GET',
  path: '/portal-backend/api/attention',
  summary: 'What needs attention in the environment',
  access: 'session',
  request: null,
  response: z.object({ items: z.array(attentionSchema), problems: z.array(z.string()) }),
});
