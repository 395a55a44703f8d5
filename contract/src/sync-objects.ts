import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

const short = z.string().check(z.maxLength(500));

const syncObjectSchema = z.object({
  platform: z.enum(['Helium', 'Journey']),
  /** 'Table', 'View', 'Model'. */
  type: z.string(),
  objectName: z.string(),
  /** null where it could not be counted in time. */
  objectCount: z.nullable(z.number()),
  /** Ours: the object's name on the other side, and how many it has more than that. */
  counterpart: z.optional(z.nullable(z.string())),
  difference: z.optional(z.nullable(z.number())),
});
export type SyncObject = z.infer<typeof syncObjectSchema>;

/**
 * The objects of both sides with their counts. The URLs must be those of a stored integration of
 * the session's environment; credentials that are left out or masked are taken from what is stored
 * for it.
 */
export const getSyncObjects = endpoint({
  method: 'POST',
  path: '/portal-backend/api/get-sync-objects',
  summary: 'The objects of both sides of an integration, with their counts',
  access: 'session',
  request: z.object({
    heliumUsername: z.optional(short),
    heliumPassword: z.optional(short),
    heliumUrl: short,
    journeyUrl: short,
    journeyUsername: z.optional(short),
    journeyPassword: z.optional(short),
    /** Ours: the app, where two integrations share URLs. */
    appId: z.optional(short),
  }),
  response: z.array(syncObjectSchema),
});
