import { refreshEvery } from '../../api/use-call.ts';

/** How often records are refreshed. */
export const recordsRefreshMs = refreshEvery(5_000);
