import type { Endpoint } from '@portal/contract/endpoint';

/** How long the page waits for a small change, which may still have been made. */
export const changeTimeoutMs = 30_000;

/** Whether the call may have changed something when its response is lost. */
export function mayChange({ may, recorded }: Endpoint): boolean {
  return recorded !== false && !recorded.isReveal && !recorded.isView && may !== 'open';
}

/** A Deadline ends a call when its caller does, or when a small change gets no response in time. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  isOver = false;

  constructor(endpoint: Endpoint, caller: AbortSignal | undefined) {
    if (caller?.aborted) this.#controller.abort(caller.reason);
    caller?.addEventListener('abort', () => this.#controller.abort(caller.reason), { once: true });
    if (!mayChange(endpoint) || endpoint.cost.class !== 'light') return;
    this.#timer = setTimeout(() => {
      this.isOver = true;
      this.#controller.abort();
    }, changeTimeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
