import { getScheduledEvents, type ScheduledEvent } from '@portal/contract/scheduled-functions';
import { slowStaleTimeMs, useCall } from '../../../api/use-call.ts';
import { useSession } from '../../../session/use-session.ts';

const none: readonly ScheduledEvent[] = [];

/** The app's scheduled functions, as suggestions only: users can still type any name. */
export function useFunctionSuggestions(appId: string, enabled: boolean): readonly ScheduledEvent[] {
  const { session } = useSession();
  const baseUrl = session.environment.baseUrl;
  const load = useCall(getScheduledEvents, { baseUrl, appId }, { enabled, retry: false, staleTime: slowStaleTimeMs });
  return load.data ?? none;
}
