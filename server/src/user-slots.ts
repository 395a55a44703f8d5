import { Busy } from '@portal/kit/problems';

/** The user that work is done for. */
export interface SlotUser {
  readonly username: string;
  readonly environment: { readonly name: string };
}

/** Returns the key of a user for `FairSlots`. */
export function getSlotKey({ username, environment }: SlotUser): string {
  return JSON.stringify([environment.name, username]);
}

const retryAfterSeconds = 5;

/** Creates the refusal of a large request for `FairSlots`. */
export function createBusy(because: 'own' | 'others'): Busy {
  return because === 'own'
    ? new Busy('You have too many large requests open. Wait until one of them is complete.', retryAfterSeconds)
    : new Busy(
        'The portal is busy with searches and other large requests. Try again in a few seconds.',
        retryAfterSeconds,
      );
}
