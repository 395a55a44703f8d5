/**
 * What this browser keeps for a user. A browser that keeps nothing (private mode, full disk) is not
 * an error.
 */
export const remembered = {
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
      // Not kept, then.
    }
  },
};
