import * as z from 'zod/mini';
import { endpoint } from '../endpoint.ts';
import { heavy } from '../rules.ts';

const shortText = z.string().check(z.maxLength(500));

const platformSchema = z.enum(['Helium', 'Journey']);
export type Platform = z.infer<typeof platformSchema>;

const syncObjectSchema = z.object({
  platform: platformSchema,
  /** 'Table', 'View', 'Model'. */
  type: z.string(),
  objectName: z.string(),
  /** null for a view, which is never run because it may change data, and if the count timed out. */
  objectCount: z.nullable(z.number()),
  /**
   * Portal extension: the object's name on the other side, and the difference between the two
   * counts. Absent when the other side was not read.
   */
  counterpart: z.optional(z.nullable(z.string())),
  difference: z.optional(z.nullable(z.number())),
});
export type SyncObject = z.infer<typeof syncObjectSchema>;

/**
 * Returns the objects of both sides with their counts. The URLs must belong to a stored integration
 * of the session's environment. Omitted or masked credentials are replaced by the stored ones. When
 * one side cannot be read, returns the other's objects, and names the side in `failedSideHeader`.
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
    /** Portal extension: reads only this side, and fails with the reason when it cannot be read. */
    platform: z.optional(platformSchema),
  }),
  response: z.array(syncObjectSchema),
});

/**
 * Portal extension: the header of a response without the objects of a side that could not be read.
 */
export const failedSideHeader = 'portal-failed-side';

/**
 * Returns the objects of both sides with their counterparts and the differences in count. Names
 * match regardless of case, as on the platforms.
 *
 * @param journey undefined for a side that was not read, like `helium`
 */
export function compareObjects(
  helium: readonly SyncObject[] | undefined,
  journey: readonly SyncObject[] | undefined,
): SyncObject[] {
  return [...compareSide(helium, journey), ...compareSide(journey, helium)];
}

function compareSide(these: readonly SyncObject[] = [], those: readonly SyncObject[] | undefined): SyncObject[] {
  if (those === undefined) return [...these];
  const byName = new Map(those.map((object) => [object.objectName.toLowerCase(), object]));
  return these.map((object) => {
    const other = byName.get(object.objectName.toLowerCase());
    const isKnown = object.objectCount !== null && other !== undefined && other.objectCount !== null;
    return {
      ...object,
      counterpart: other?.objectName ?? null,
      difference: isKnown ? Number(object.objectCount) - Number(other.objectCount) : null,
    };
  });
}
