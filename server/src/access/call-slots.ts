import type { Cost } from '@portal/contract/rules';
import { FairSlots } from '@portal/kit/concurrency/fair-slots';
import { Busy } from '@portal/kit/problems';
import { createBusy, getSlotKey, type SlotUser } from '../user-slots.ts';

const retryAfterSeconds = 5;

interface RunOptions<Result> {
  /** Ends the waiting when it aborts. */
  readonly signal: AbortSignal;
  /** Resolves when the slot is no longer needed, such as when the response is sent. */
  readonly getEnd: (result: Result) => Promise<unknown>;
}

/**
 * The CallSlots is the component that limits how many calls of each cost class run at the same time
 * on this node, so that one user cannot slow down the others.
 */
export class CallSlots {
  readonly #slots: Readonly<Record<Cost['class'], FairSlots>> = {
    // Pages send a few dozen at once. Those of others never delay them.
    light: new FairSlots({
      maxRunning: Number.POSITIVE_INFINITY,
      maxRunningPerKey: 50,
      maxWaiting: Number.POSITIVE_INFINITY,
      maxWaitingPerKey: 200,
      createRefusal: () =>
        new Busy('You have too many requests open. Try again when some of them are complete.', retryAfterSeconds),
    }),
    heavy: new FairSlots({ maxRunning: 20, createRefusal: createBusy }),
    bulk: new FairSlots({ maxRunning: 3, maxRunningPerKey: 1, createRefusal: createBusy }),
  };

  /** Runs a call when a slot is free. Throws Busy, and the signal's reason. */
  run<Result>(
    { class: name }: Cost,
    user: SlotUser,
    call: () => Promise<Result>,
    { signal, getEnd }: RunOptions<Result>,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const runToEnd = async () => {
        const result = await call();
        resolve(result);
        await getEnd(result);
      };
      this.#slots[name].run(getSlotKey(user), runToEnd, signal).catch(reject);
    });
  }
}
