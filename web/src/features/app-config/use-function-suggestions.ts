import { getScheduledEvents, type ScheduledEvent } from '@portal/contract/scheduled-functions';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { useSession } from '../../session/use-session.ts';

const none: readonly ScheduledEvent[] = [];

/** The app's scheduled functions, for suggestions only: without them everything can still be typed. */
export function useFunctionSuggestions(appId: string, enabled: boolean): readonly ScheduledEvent[] {
  const { session } = useSession();
  const baseUrl = session.environment.baseUrl;
  const load = useQuery({
    queryKey: ['function-suggestions', appId],
    queryFn: ({ signal }) => call(getScheduledEvents, { baseUrl, appId }, { signal }),
    enabled,
    retry: false,
    staleTime: 60_000,
  });
  return load.data ?? none;
}
