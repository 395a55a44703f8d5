import { getScheduledEvents, type ScheduledEvent } from '@portal/contract/scheduled-functions';
import { steadyMs, useCall } from '../../lib/use-call.ts';
import { useSession } from '../../session/use-session.ts';

const none: readonly ScheduledEvent[] = [];

/**
 * The app's scheduled functions, for suggestions only: without them everything can still be typed.
 */
export function useFunctionSuggestions(appId: string, enabled: boolean): readonly ScheduledEvent[] {
  const { session } = useSession();
  const baseUrl = session.environment.baseUrl;
  const load = useCall(getScheduledEvents, { baseUrl, appId }, { enabled, retry: false, staleTime: steadyMs });
  return load.data ?? none;
}
