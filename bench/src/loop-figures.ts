/** What loop-watch.ts reports. */
export interface LoopFigures {
  /** As measured by `perf_hooks`; on a busy machine this includes waiting for a processor. */
  readonly delayMs: { readonly p99: number; readonly max: number };
  /** The longest standstill in which the process itself was computing. */
  readonly standstillMs: number;
  /** When it ended; epoch milliseconds. */
  readonly standstillAtMs: number;
  /** In use after a garbage collection. */
  readonly memoryBytes: number;
}

/** The message that asks for a report. */
export const loopQuestion = 'loop figures';
