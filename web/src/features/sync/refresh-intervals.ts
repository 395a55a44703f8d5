/**
 * How often records are refreshed. A list that failed to load waits for the user: a retry in
 * between would remove the error before it is read.
 */
export const recordsRefreshMs = ({ state }: { state: { data: unknown } }) => state.data !== undefined && 5000;
