/** The messages of the sync socket in both directions. */
import * as z from 'zod/mini';
import { light } from '../rules.ts';
import { socket } from '../socket.ts';
import { getSyncSocketPaths, syncBases } from './base.ts';
import { appIdSchema, configProblemSchema } from './config.ts';

/**
 * A client's message, at most 256 KB long. MERGE and DESTROY close the socket with the first reply.
 * The others may contain the fields of a MERGE, which are not read.
 */
export const syncSocketMessageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('LOG_SESSION'),
    appId: appIdSchema,
    /** Requests batch frames and resumption after a line, like the apps' log socket. */
    batch: z.optional(z.boolean()),
    /** `seq` of the last received line. */
    after: z.optional(z.number().check(z.int())),
  }),
  /** The sync service checks the configuration, because it reports all problems by field. */
  z.object({ type: z.literal('MERGE'), appId: appIdSchema, config: z.unknown() }),
  z.object({ type: z.literal('DESTROY'), appId: appIdSchema }),
]);
/** What the specified clients send with every message. */
export const ignoredMessageFields = ['config'] as const;
export type SyncSocketMessage = z.infer<typeof syncSocketMessageSchema>;

const about = { app: 'appId' } as const;
const cost = light({ maxBodyBytes: 256 * 1024 });

/** The socket of the sync service, as served at its first base. */
export const syncSocket = socket({
  paths: getSyncSocketPaths(syncBases[0]),
  summary: "Stream an integration's log, or save or delete the integration",
  frame: syncSocketMessageSchema,
  rules: {
    LOG_SESSION: { may: 'sync.view', about, recorded: false, cost },
    MERGE: {
      may: 'sync.change',
      about,
      recorded: { action: 'sync.save', description: 'Integration saved' },
      cost,
    },
    DESTROY: {
      may: 'sync.change',
      about,
      recorded: { action: 'sync.delete', description: 'Integration deleted' },
      cost,
    },
  },
});

/** One reply. Log lines have their text in `value`, with level and time. */
export const syncSocketReplySchema = z.object({
  value: z.string(),
  key: z.optional(z.string()),
  millis: z.optional(z.number()),
  seq: z.optional(z.number()),
  /** The request failed with the reason in `value`. */
  failed: z.optional(z.boolean()),
  problems: z.optional(z.array(configProblemSchema)),
});
export type SyncSocketReply = z.infer<typeof syncSocketReplySchema>;

/**
 * Frames for `batch: true`: consecutive lines as [millis, key, value], the first with number `seq`;
 * gaps; heartbeats.
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

/** Close codes of the sync socket, in addition to those of the log socket. */
export const syncCloseCodes = { disabled: 4409 } as const;
