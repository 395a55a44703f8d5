/** What enrollment read last, what waits, and what operators can do about it. */
import * as z from 'zod/mini';
import { distinct } from '../distinct.ts';
import { endpoint } from '../endpoint.ts';
import { light } from '../rules.ts';
import { appIdSchema, shortTextSchema } from './config.ts';

const waitingSchema = z.object({
  /** A request, a row, or what is to be removed: 'Re-enrollment of appuser {id}'. */
  subject: z.string(),
  reason: z.string(),
  /** Failed attempts of a request; null for what each round attempts. */
  attempts: z.nullable(z.number()),
  /** null for the next round. */
  nextAttempt: z.nullable(z.string()),
  /** Whether much would be removed, and an operator has to decide that. */
  needsConsent: z.boolean(),
});
export type EnrollmentWaiting = z.infer<typeof waitingSchema>;

const enrollmentStatusSchema = z.object({
  /** When the last whole list of users was written; null before the first one. */
  listedAt: z.nullable(z.string()),
  /** What that list had. */
  users: z.number(),
  sessions: z.number(),
  /** Why the last round changed nothing; null if it succeeded. */
  problem: z.nullable(z.string()),
  /** The first hundred of `total`. */
  waiting: z.array(waitingSchema),
  total: z.number(),
});
export type EnrollmentStatus = z.infer<typeof enrollmentStatusSchema>;

export const getEnrollment = endpoint({
  method: 'GET',
  path: '/enrollment/:appId',
  summary: 'Get the last whole list of users, and the enrollment requests and rows that wait',
  may: 'sync.view',
  about: { app: 'appId' },
  recorded: false,
  cost: light(),
  request: null,
  response: enrollmentStatusSchema,
});

/** Retries what waits, and reads the list of users again. */
export const retryEnrollment = endpoint({
  method: 'POST',
  path: '/retry-enrollment',
  summary: 'Retry enrollment requests and rows that wait, all of them or those given',
  may: 'sync.change',
  about: { app: 'appId' },
  recorded: { action: 'sync.retry-enrollment', description: 'Enrollment retried' },
  cost: light({ maxBodyBytes: 64 * 1024 }),
  request: z.object({
    appId: appIdSchema,
    subjects: z.optional(z.array(shortTextSchema).check(z.maxLength(100), distinct())),
  }),
  response: z.object({ retried: z.number() }),
});

export const removeUnlistedConfirmation = 'REMOVE';

/** Consents to the removal of as many as the last round has found. */
export const removeUnlisted = endpoint({
  method: 'POST',
  path: '/remove-unlisted',
  summary: "Remove users or sessions that Journey's list of users no longer has",
  may: 'sync.change',
  about: { app: 'appId' },
  recorded: { action: 'sync.remove-unlisted', description: 'Removal of what Journey no longer lists' },
  cost: light(),
  request: z.object({
    appId: appIdSchema,
    /** Of what waits in enrollment. */
    subject: shortTextSchema,
    confirmation: z.literal(removeUnlistedConfirmation),
  }),
  response: z.object({ message: z.string() }),
});
