import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { light } from './rules.ts';

/** An item in the environment that needs attention. */
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
  /** The subject: an app's name or a release. */
  title: z.string(),
  /** A sentence. */
  detail: z.string(),
  /** ISO instant of the event, if there is one. */
  at: z.nullable(z.string()),
  /** The page to open, as a route: '/config/<app id>'. */
  route: z.string(),
});
export type Attention = z.infer<typeof attentionSchema>;

/**
 * Portal extension: items for the caller's apps, the most urgent first. `problems` describes the
 * parts that could not be loaded.
 */
export const getAttention = endpoint({
  method: 'GET',
  path: '/portal-backend/api/attention',
  summary: 'List what needs attention in the environment',
  may: 'session',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: z.object({ items: z.array(attentionSchema), problems: z.array(z.string()) }),
});
