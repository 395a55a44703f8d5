import type { App } from '@portal/contract/apps';
import { useAddress } from '../lib/use-address.ts';
import { useApp } from '../session/use-session.ts';

/**
 * Returns the id of the only app that a list shows ('' for all apps), and the app if it is known.
 */
export function useAppFilter(): { appId: string; app: App | null } {
  const [{ app: appId = '' }] = useAddress();
  return { appId, app: useApp(appId) };
}
