import type { WaitingSubject } from './enrollment-status.store.ts';

/** The maximum per round: many rows may be rejected for the same reason. */
const maxLogged = 20;

/**
 * Logs what goes wrong in round after round only once: when it begins, and when its reason changes.
 */
export class RecurringWarnings {
  #before: ReadonlyMap<string, string> = new Map();
  #current = new Map<string, string>();
  #logged = 0;

  startRound(): void {
    this.#current = new Map();
    this.#logged = 0;
  }

  /** What has not been warned about in this round has ended. Returns how much has. */
  endRound(): number {
    this.#before = this.#current;
    return this.#before.size;
  }

  /** Returns what the last round has warned about, for operators. */
  listWaiting(): WaitingSubject[] {
    return [...this.#before].map(([subject, reason]) => ({ subject, reason, attempts: null, nextAttempt: null }));
  }

  /** @param subject what the warning is about, unique in a round */
  warn(log: (key: string, value: string) => void, subject: string, text: string): void {
    const isKnown = this.#before.get(subject) === text || this.#current.get(subject) === text;
    this.#current.set(subject, text);
    if (isKnown || this.#logged >= maxLogged) return;
    this.#logged += 1;
    log('WARNING', text);
  }
}
