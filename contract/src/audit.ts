import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { resourceKinds } from './resource-kind.ts';
import { heavy, light } from './rules.ts';

const shortText = z.string().check(z.maxLength(500));

const maxSearchWords = 10;
/** Each word is compared with every entry. */
const searchText = shortText.check(
  z.refine((text) => text.trim().split(/\s+/).length <= maxSearchWords, `must be at most ${maxSearchWords} words`),
);

/**
 * One recorded user action. The audit trail is append-only. Equal attempts that were refused within
 * ten minutes are one entry with their number.
 */
const auditEntrySchema = z.object({
  id: z.string(),
  /** ISO instant. */
  at: z.string(),
  username: z.string(),
  environment: z.string(),
  /** For example 'config.add-entry-point' or 'session.sign-in'. */
  action: z.string(),
  /**
   * One of `resourceKinds`, or a later one while nodes of two versions run; null without
   * `resource`.
   */
  resourceKind: z.nullable(z.string()),
  /** The target of the action: an app id or the id of another resource; null if it has none. */
  resource: z.nullable(z.string()),
  /** The app's name if the resource is an app. */
  resourceName: z.nullable(z.string()),
  description: z.string(),
  before: z.nullable(z.unknown()),
  after: z.nullable(z.unknown()),
  outcome: z.enum(['done', 'failed', 'refused']),
  /** Why the action failed or was refused. */
  reason: z.nullable(z.string()),
  address: z.nullable(z.string()),
  userAgent: z.nullable(z.string()),
  requestId: z.nullable(z.string()),
  /** How many equal attempts the entry stands for; 1 for everything that was done. */
  attempts: z.number(),
  /** ISO instant of the last of several attempts; `at` is the first. */
  lastAt: z.nullable(z.string()),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

const filterSchema = z.object({
  /** Up to ten words to find in user, action, resource and description. */
  search: z.optional(searchText),
  username: z.optional(shortText),
  action: z.optional(shortText),
  /** The kind of `resource`: an app if none is sent. */
  resourceKind: z.optional(z.enum(resourceKinds)),
  resource: z.optional(shortText),
  outcome: z.optional(z.enum(['done', 'failed', 'refused'])),
  /** ISO instants. */
  from: z.optional(shortText),
  to: z.optional(shortText),
});

/**
 * ISO instant before which nothing was searched, because the words are too short for the index or
 * the database has none; null if everything was searched.
 */
const searchedSince = z.nullable(z.string());

/** Returns the audit trail of the session's environment in pages, newest first. */
export const getAudit = endpoint({
  method: 'GET',
  path: '/portal-backend/api/audit',
  summary: 'List who changed what, when and from where',
  may: 'audit.view',
  about: {},
  recorded: false,
  cost: heavy(),
  /** `after` is `next` of the previous page. */
  request: z.extend(filterSchema, { after: z.optional(shortText) }),
  response: z.object({
    entries: z.array(auditEntrySchema),
    next: z.nullable(z.string()),
    searchedSince,
    /** Whether the user sees only their own entries and those about their apps. */
    isPartial: z.boolean(),
  }),
});

/** Counts all matching entries, which takes seconds in a large trail. */
export const countAudit = endpoint({
  method: 'GET',
  path: '/portal-backend/api/audit/count',
  summary: 'Count the entries of the audit trail',
  may: 'audit.view',
  about: {},
  recorded: false,
  cost: heavy(),
  request: filterSchema,
  response: z.object({ count: z.number(), searchedSince }),
});

export const maxExportedEntries = 100_000;

/** Returns the newest matching entries, at most `maxExportedEntries`, as CSV. Audited itself. */
export const exportAudit = endpoint({
  method: 'GET',
  path: '/portal-backend/api/audit/export',
  summary: 'Export the audit trail as CSV; audited',
  may: 'audit.view',
  about: {},
  recorded: { action: 'audit.export', description: 'Audit trail exported', isReveal: true },
  cost: heavy(),
  request: filterSchema,
  response: 'bytes',
});

/**
 * Returns the newest app configuration changes by anyone in the session's environment, newest
 * first.
 */
export const getRecentChanges = endpoint({
  method: 'GET',
  path: '/portal-backend/api/audit/recent-changes',
  summary: 'List the newest app configuration changes',
  may: 'audit.view',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: z.array(auditEntrySchema),
});
