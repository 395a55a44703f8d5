import { saveSetting } from '@portal/contract/session-choices';
import { call } from '../api/call.ts';
import { browserStorage } from '../state/browser-storage.ts';
import { sessionState, updateSignedIn } from './session-store.ts';

/**
 * The choices of the user, such as starred apps. The portal stores them for every browser. Each
 * browser has a copy, for choices that the portal could not store.
 */
export const userSettings = {
  get(name: string): unknown {
    const state = sessionState.get();
    if (state.phase !== 'signed-in') return null;
    const stored = state.session.settings[name];
    return stored === undefined ? browserStorage.get(getBrowserKey(name)) : parseSetting(stored);
  },
  set(name: string, value: unknown): void {
    const state = sessionState.get();
    if (state.phase !== 'signed-in') return;
    const { session } = state;
    const text = JSON.stringify(value);
    browserStorage.set(getBrowserKey(name), value);
    updateSignedIn({ session: { ...session, settings: { ...session.settings, [name]: text } } });
    // It is in this browser in any case.
    call(saveSetting, { name, value: text }).catch(() => undefined);
  },
};

/** Earlier versions stored stars and recent apps by environment, and all others by user only. */
function getBrowserKey(name: string): string {
  const state = sessionState.get();
  if (state.phase !== 'signed-in') return name;
  const { username, environment } = state.session;
  const [area = '', ...rest] = name.split('.');
  return area === 'apps' ? `apps.${environment.name}.${username}` : [area, username, ...rest].join('.');
}

/** Returns null for text that is not JSON. */
export function parseSetting(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
