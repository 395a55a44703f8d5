import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

/** The newest release, never a snapshot: "2.14.0". */
export const getLatestReleaseVersion = endpoint({
  method: 'GET',
  path: '/portal-backend/api/he-latest-release-version',
  summary: 'The newest release of the developer client',
  access: 'session',
  request: null,
  response: 'text',
});

const downloadSchema = z.object({
  label: z.string(),
  url: z.string(),
  /** Hexadecimal SHA-256 the repository publishes; null where it publishes none. */
  sha256: z.nullable(z.string()),
});

/** Ours: everything the download page shows. */
export const getDevClient = endpoint({
  method: 'GET',
  path: '/portal-backend/api/dev-client',
  summary: 'The download links and the install command of the developer client',
  access: 'session',
  request: null,
  response: z.object({
    version: z.string(),
    client: downloadSchema,
    noUiClient: downloadSchema,
    installCommand: z.string(),
    /** ISO instant at which the repository said so. */
    readAt: z.string(),
    /** Why it could not be asked again since; null when it answered. */
    problem: z.nullable(z.string()),
  }),
});
export type DevClient = z.infer<typeof getDevClient.response>;
