import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

const short = z.string().check(z.maxLength(500));

/** One thing somebody did. Entries are only ever added. */
const auditEntrySchema = z.object({
  id: z.string(),
  /** ISO instant. */
  at: z.string(),
  username: z.string(),
  environment: z.string(),
  /** e.g. 'config.add-entry-point', 'session.sign-in'. */
  action: z.string(),
  /** What it was done to: an app id, or another resource; null for sessions. */
  resource: z.nullable(z.string()),
  /** The app's name where the resource is an app. */
  resourceName: z.nullable(z.string()),
  description: z.string(),
  before: z.nullable(z.unknown()),
  after: z.nullable(z.unknown()),
  outcome: z.enum(['done', 'failed', 'refused']),
  /** Why it failed or was refused. */
  reason: z.nullable(z.string()),
  address: z.nullable(z.string()),
  userAgent: z.nullable(z.string()),
  requestId: z.nullable(z.string()),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** The audit trail of the session's environment, newest first, page by page. */
export const getAudit = endpoint({
  method: 'GET',
  path: '/portal-backend/api/audit',
  summary: 'Who changed what, when and from where',
  access: 'session',
  request: z.object({
    /** Words to be found in user, action, resource, description. */
    search: z.optional(short),
    username: z.optional(short),
    action: z.optional(short),
    resource: z.optional(short),
    outcome: z.optional(z.enum(['done', 'failed', 'refused'])),
    /** ISO instants. */
    from: z.optional(short),
    to: z.optional(short),
    /** `next` of the page before. */
    after: z.optional(short),
  }),
  /** `total`: on all pages together; 10,001 stands for any number beyond 10,000. */
  response: z.object({ entries: z.array(auditEntrySchema), next: z.nullable(z.string()), total: z.number() }),
});
