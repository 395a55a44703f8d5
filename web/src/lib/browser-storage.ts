/**
 * Stores JSON values for this user in localStorage. Unavailable storage (private mode, full disk)
 * is not an error.
 */
export const browserStorage = {
  get(key: string): unknown {
    try {
      const text = localStorage.getItem(`portal.${key}`);
      return text === null ? null : JSON.parse(text);
    } catch {
      return null;
    }
  },
  set(key: string, value: unknown): void {
    try {
      localStorage.setItem(`portal.${key}`, JSON.stringify(value));
    } catch {
      // The value is not stored.
    }
  },
};
