import { browserStorage } from './browser-storage.ts';
import { createStore } from './store.ts';

const storageKey = 'single-keys';

/**
 * Whether single keys without Ctrl or Alt act on the page. People whose speech input or stiff
 * fingers press them by accident can turn them off (WCAG 2.1.4).
 */
export const singleKeys = createStore(browserStorage.get(storageKey) !== false);

singleKeys.subscribe(() => browserStorage.set(storageKey, singleKeys.get()));
