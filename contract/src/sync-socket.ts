/** What goes over the sync socket, either way. */
import * as z from 'zod/mini';
import { appIdSchema, configProblemSchema } from './sync-config.ts';

/** What a client sends on the socket; MERGE and DESTROY close it with the first reply. */
export const syncSocketMessageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('LOG_SESSION'),
    appId: appIdSchema,
    config: z.optional(z.unknown()),
    /** As on the apps' log socket: frames of many lines, and resuming behind a line. */
    batch: z.optional(z.boolean()),
    /** `seq` of the last line had. */
    after: z.optional(z.number().check(z.int())),
  }),
  z.object({ type: z.literal('MERGE'), appId: appIdSchema, config: z.unknown() }),
  z.object({ type: z.literal('DESTROY'), appId: appIdSchema, config: z.optional(z.unknown()) }),
]);
export type SyncSocketMessage = z.infer<typeof syncSocketMessageSchema>;

/** One reply. Log lines carry the line's text as value, with its level and time. */
export const syncSocketReplySchema = z.object({
  value: z.string(),
  key: z.optional(z.string()),
  millis: z.optional(z.number()),
  seq: z.optional(z.number()),
  /** The request failed, for the reason in `value`. */
  failed: z.optional(z.boolean()),
  problems: z.optional(z.array(configProblemSchema)),
});
export type SyncSocketReply = z.infer<typeof syncSocketReplySchema>;

/**
 * With `batch: true`: consecutive lines as [millis, key, value], the first with number `seq`; gaps
 * and beats.
 */
export const syncBatchFrameSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('lines'),
    seq: z.number(),
    lines: z.array(z.tuple([z.number(), z.string(), z.string()])),
  }),
  z.object({ type: z.literal('gap'), nextSeq: z.number(), lines: z.nullable(z.number()) }),
  z.object({ type: z.literal('beat'), seq: z.number() }),
]);
export type SyncBatchFrame = z.infer<typeof syncBatchFrameSchema>;

/** Private close codes of the sync socket, besides those of the log socket. */
export const syncCloseCodes = { disabled: 4409 } as const;
