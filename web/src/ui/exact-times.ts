import { createStore } from '../state/store.ts';

/** One setting for the whole page: whether "3 min ago" is shown as the exact time. */
export const showsExactTimes = createStore(false);

export function toggleExactTimes(): void {
  showsExactTimes.set(!showsExactTimes.get());
}
