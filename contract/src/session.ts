import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { environmentSchema } from './environments.ts';

const externalLinkSchema = z.object({ label: z.string(), url: z.string() });

/** What the policy decides about; one word per kind of act. */
export const actionSchema = z.enum([
  'apps.view',
  'logs.view',
  'config.view',
  'config.change',
  'functions.view',
  'functions.toggle',
  'statistics.view',
  'statistics.reset',
  'schema-access.view',
  'schema-access.grant',
  'deployments.view',
  'deployments.change',
  'roster.view',
  'roster.reveal',
  'roster.change',
  'sync.view',
  'sync.change',
  'sync.reveal',
  'audit.view',
]);
export type Action = z.infer<typeof actionSchema>;

export const sessionSchema = z.object({
  username: z.string(),
  environment: environmentSchema,
  /** The configured name of the platform's apps, "Helium Apps" by default. */
  product: z.string(),
  links: z.array(externalLinkSchema),
  /**
   * Per act that this user may not do here, the reason in words. Acts that are not named are
   * allowed.
   */
  refusals: z.partialRecord(actionSchema, z.string()),
  /** ISO instant after which the session ends whatever the user does. */
  expiresAt: z.string(),
  /** Seconds without a call after which the session ends. */
  idleSeconds: z.number(),
});
export type Session = z.infer<typeof sessionSchema>;

export const getSession = endpoint({
  method: 'GET',
  path: '/portal-backend/api/session',
  summary: 'Who is signed in, where, and what they may do',
  access: 'session',
  request: null,
  response: sessionSchema,
});

export const deleteSession = endpoint({
  method: 'DELETE',
  path: '/portal-backend/api/session',
  summary: 'Sign out',
  access: 'session',
  request: null,
  response: z.object({ signedOut: z.literal(true) }),
});
