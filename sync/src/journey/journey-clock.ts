/** Keeps Journey's time, from the `Date` header of its responses. */
import type { SendRequest } from '@portal/platforms/journey/call';

/** The resolution of the header. */
const resolutionMs = 1_000;

export interface JourneyClock {
  /** Sends a call, and reads the time from its response. */
  readonly watch: (send: SendRequest) => SendRequest;
  /**
   * Returns a time in milliseconds that Journey's clock has not passed yet: that of its last
   * response, at the end of that second, and the time since then. It is this host's time until a
   * response has a date.
   */
  nowMs(): number;
}

/** @param steadyMs returns the time of a clock that is never corrected */
export function createJourneyClock(steadyMs: () => number = () => performance.now()): JourneyClock {
  let last: { readonly atMs: number; readonly receivedMs: number } | null = null;
  return {
    watch: (send) => async (url, options) => {
      const response = await send(url, options);
      const atMs = Date.parse(String(response.headers.date ?? ''));
      if (!Number.isNaN(atMs)) last = { atMs: atMs + resolutionMs - 1, receivedMs: steadyMs() };
      return response;
    },
    nowMs: () => (last ? last.atMs + steadyMs() - last.receivedMs : Date.now()),
  };
}
