import { Unreadable } from '../unreadable.ts';

const maxStepsPerEvent = 100_000;
const minStepsPerEvent = 1_000;
const maxStepsPerFeed = 5_000_000;

/**
 * Counts the steps of expanding an event, so that an absurd rule costs only its event. After a feed
 * has used its steps, events are only allowed what an ordinary one needs.
 */
export class StepBudget {
  #feed = maxStepsPerFeed;
  #event = 0;

  /** Starts counting for the next event. */
  startEvent(): void {
    this.#event = Math.max(minStepsPerEvent, Math.min(maxStepsPerEvent, this.#feed));
  }

  /** Throws Unreadable. */
  spend(steps: number): void {
    this.#event -= steps;
    this.#feed -= steps;
    if (this.#event < 0) throw new Unreadable('its recurrence rules yield too many events');
  }
}
