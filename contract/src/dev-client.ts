import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { light } from './rules.ts';

/** Returns the newest release, never a snapshot: "2.14.0". */
export const getLatestReleaseVersion = endpoint({
  method: 'GET',
  path: '/portal-backend/api/he-latest-release-version',
  summary: 'Get the newest release of the developer client',
  may: 'session',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: 'text',
});

const downloadSchema = z.object({
  label: z.string(),
  url: z.string(),
  /** Hexadecimal SHA-256 published by the repository; null if it publishes none. */
  sha256: z.nullable(z.string()),
  /** Hexadecimal SHA-1, for a repository that publishes no SHA-256. */
  sha1: z.nullable(z.string()),
});

/** Portal extension: everything on the download page. */
export const getDevClient = endpoint({
  method: 'GET',
  path: '/portal-backend/api/dev-client',
  summary: 'Get the download links and the install command of the developer client',
  may: 'session',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: z.object({
    version: z.string(),
    client: downloadSchema,
    noUiClient: downloadSchema,
    installCommand: z.string(),
    /** ISO instant when the repository was last read. */
    readAt: z.string(),
    /** Why the last attempt to read the repository failed; null if it succeeded. */
    problem: z.nullable(z.string()),
  }),
});
export type DevClient = z.infer<typeof getDevClient.response>;
