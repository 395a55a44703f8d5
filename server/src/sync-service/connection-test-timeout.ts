/** Longer than the service's own timeout for Journey, so that the service can report it. */
export const connectionTestTimeoutMs = 45_000;
