import { Unreachable } from '@portal/kit/problems';
import type { AppList } from '../../session/app-lists.ts';
import type { Caller } from '../../session/caller.ts';

/**
 * Returns the caller with the apps that the platform lists during this request, loaded once for all
 * sources, so that nothing is shown of an app that the user has just lost. While the list cannot be
 * loaded, it is the last one.
 */
export function withCurrentApps(caller: Caller, signal: AbortSignal, requestedAt: number): Caller {
  let list: Promise<AppList> | undefined;
  return {
    ...caller,
    apps() {
      list ??= readList();
      return list;
    },
  };

  async function readList(): Promise<AppList> {
    const last = await caller.apps({ forReading: true, signal });
    if (last.readAt.getTime() >= requestedAt) return last;
    try {
      return await caller.apps({ forReading: true, fresh: true, signal });
    } catch (error) {
      if (error instanceof Unreachable) return last;
      throw error;
    }
  }
}
