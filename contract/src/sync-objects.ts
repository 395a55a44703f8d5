import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { heavy } from './rules.ts';

const shortText = z.string().check(z.maxLength(500));

const syncObjectSchema = z.object({
  platform: z.enum(['Helium', 'Journey']),
  /** 'Table', 'View', 'Model'. */
  type: z.string(),
  objectName: z.string(),
  /** null for a view, which is never run because it may change data, and if the count timed out. */
  objectCount: z.nullable(z.number()),
  /**
   * Portal extension: the object's name on the other side, and the difference between the two
   * counts.
   */
  counterpart: z.optional(z.nullable(z.string())),
  difference: z.optional(z.nullable(z.number())),
});
export type SyncObject = z.infer<typeof syncObjectSchema>;

/**
 * Returns the objects of both sides with their counts. The URLs must belong to a stored integration
 * of the session's environment. Omitted or masked credentials are replaced by the stored ones.
 */
export const getSyncObjects = endpoint({
  method: 'POST',
  path: '/portal-backend/api/get-sync-objects',
  summary: 'List the objects of both sides of an integration, with their counts',
  may: 'sync.view',
  about: { integration: 'heliumUrl' },
  recorded: false,
  cost: heavy(),
  request: z.object({
    heliumUsername: z.optional(shortText),
    heliumPassword: z.optional(shortText),
    heliumUrl: shortText,
    journeyUrl: shortText,
    journeyUsername: z.optional(shortText),
    journeyPassword: z.optional(shortText),
    /** Portal extension: the app, for integrations that share URLs. */
    appId: z.optional(shortText),
  }),
  response: z.array(syncObjectSchema),
});
