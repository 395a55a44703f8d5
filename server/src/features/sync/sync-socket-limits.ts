/** All limits and intervals of the sync sockets. */
export interface SyncSocketLimits {
  /** Maximum size of a configuration. */
  readonly frameBytes: number;
  readonly firstFrameMs: number;
  /** Time limit for the reply to MERGE or DESTROY. */
  readonly replyMs: number;
  /** When this many bytes are unsent to a viewer, reading from the service pauses. */
  readonly bufferedBytes: number;
  readonly heartbeatMs: number;
  /** A side that is silent for this many heartbeats is disconnected. */
  readonly silentHeartbeats: { readonly viewer: number; readonly service: number };
  /** How often a viewer's session and app are checked again. */
  readonly recheckMs: number;
}

export const defaultSyncSocketLimits: SyncSocketLimits = {
  frameBytes: 256 * 1024,
  firstFrameMs: 10_000,
  replyMs: 60_000,
  bufferedBytes: 1024 * 1024,
  heartbeatMs: 5_000,
  silentHeartbeats: { viewer: 6, service: 3 },
  recheckMs: 30_000,
};
