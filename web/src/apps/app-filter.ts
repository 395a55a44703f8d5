import type { App } from '@portal/contract/apps';
import { useApp } from '../session/use-session.ts';
import { useAddress } from '../state/use-address.ts';

/**
 * Returns the id of the only app that a list shows ('' for all apps), and the app if it is known.
 */
export function useAppFilter(): { appId: string; app: App | null } {
  const [{ app: appId = '' }] = useAddress();
  return { appId, app: useApp(appId) };
}
