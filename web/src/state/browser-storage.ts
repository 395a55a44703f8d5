interface JsonStorage {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
}

/**
 * Stores JSON values for this user in localStorage. Unavailable storage (private mode, full disk)
 * is not an error.
 */
export const browserStorage: JsonStorage = createJsonStorage(() => localStorage);

/** As `browserStorage`, until the tab is closed. */
export const tabStorage: JsonStorage = createJsonStorage(() => sessionStorage);

/** @param open may throw */
function createJsonStorage(open: () => Storage): JsonStorage {
  return {
    get(key) {
      try {
        const text = open().getItem(`portal.${key}`);
        return text === null ? null : JSON.parse(text);
      } catch {
        return null;
      }
    },
    set(key, value) {
      try {
        open().setItem(`portal.${key}`, JSON.stringify(value));
      } catch {
        // The value is not stored.
      }
    },
  };
}
