/** Every bound and wait of the sync sockets. */
export interface SyncSocketLimits {
  /** How large a configuration may be. */
  readonly frameBytes: number;
  readonly firstFrameMs: number;
  /** For the one reply to a MERGE or DESTROY. */
  readonly replyMs: number;
  /** Beyond so many bytes on their way to a viewer, no more is taken from the service. */
  readonly bufferedBytes: number;
  readonly heartbeatMs: number;
  /** A side that takes nothing and answers nothing for so many beats is gone. */
  readonly silentHeartbeats: { readonly viewer: number; readonly service: number };
  /** How often it is asked again whether a viewer may still see the app. */
  readonly recheckMs: number;
}

export const defaultSyncSocketLimits: SyncSocketLimits = {
  frameBytes: 256 * 1024,
  firstFrameMs: 10_000,
  replyMs: 60_000,
  bufferedBytes: 1024 * 1024,
  heartbeatMs: 5_000,
  silentHeartbeats: { viewer: 6, service: 3 },
  recheckMs: 5 * 60_000,
};
