/**
 * The users of a Journey app and their devices, for deployments with several devices per user and
 * with one. What a user or a session lacks is null: it is not known, and concerns no other.
 */
import { z } from 'zod';

const textOrNull = z.string().nullable().default(null);
const flagOrNull = z.boolean().nullable().catch(null);

export const JourneySession = z.object({
  id: z.string().min(1),
  /** `ENROLLED`; `LOCKED` or `RESET` until the device connects again; `NEVER_ENROLLED`. */
  state: z.string().nullable().catch(null),
  label: textOrNull,
  created_at: textOrNull,
  last_authenticated_at: textOrNull,
  last_connected_at: textOrNull,
  /** Persists when the device is enrolled again. */
  signed_out_at: textOrNull,
  container: z.object({ version: textOrNull, bundle_id: textOrNull, platform: textOrNull }).nullable().default(null),
  runtime: z.object({ version: textOrNull }).nullable().default(null),
  device: z.object({ id: textOrNull }).nullable().default(null),
  /** Devices with a container before 4.36.0 do not report it. */
  sync_status: z.object({ last_full_sync: textOrNull }).nullable().default(null),
});
export type JourneySession = z.infer<typeof JourneySession>;

export const JourneyUser = z.object({
  id: z.string().min(1),
  enrolled: flagOrNull,
  locked: flagOrNull,
  last_connected_at: textOrNull,
  /** null when Journey did not report them: nothing is known about the user's devices. */
  sessions: z.array(JourneySession).nullable().default(null),
});
export type JourneyUser = z.infer<typeof JourneyUser>;

export const JourneyUserList = z.object({
  objects: z.array(JourneyUser),
  total: z.int().min(0).nullable().default(null),
  more: z.boolean().nullable().default(null),
});
export type JourneyUserList = z.infer<typeof JourneyUserList>;

/** The token a device enrolls with; `expires_at` is ISO 8601. */
export const JourneyAuthenticationToken = z.object({ token: z.string().min(1), expires_at: textOrNull });
export type JourneyAuthenticationToken = z.infer<typeof JourneyAuthenticationToken>;

/**
 * With one device per user, the `enrollment` of an object of the user model. `url` is what the QR
 * code contains.
 */
export const JourneyEnrollment = z.object({
  enrolled: z.boolean(),
  url: textOrNull,
  launcher_version: textOrNull,
  device_os: textOrNull,
  device_model: textOrNull,
  last_connected_at: textOrNull,
});
export type JourneyEnrollment = z.infer<typeof JourneyEnrollment>;

export const JourneySuccess = z.object({ success: z.literal(true) });
