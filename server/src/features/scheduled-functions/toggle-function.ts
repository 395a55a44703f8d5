import type { App } from '@portal/contract/apps';
import type { FunctionState } from '@portal/contract/scheduled-functions';
import { Conflict, Problem, Unreachable } from '@portal/kit/problems';
import type { AppCallContext, HeliumClient } from '@portal/platforms/helium/client';
import type { Noted } from '../../access/enforcer.ts';
import type { Caller } from '../../session/caller.ts';

/** The call that toggles a function of an app. */
interface ToggleCall {
  readonly caller: Caller;
  readonly app: App;
  readonly noted: Noted;
}

interface Toggle {
  /** 'unit:event' */
  readonly name: string;
  readonly state: FunctionState;
  /** The state that the caller saw; undefined to set it whatever it is. */
  readonly expected?: FunctionState | undefined;
}

/**
 * Sets the state of a scheduled function and returns the platform's text. Throws Conflict if it has
 * another state than expected, and Unreachable if the platform shows another result.
 */
export async function toggleFunction(
  { caller, app, noted }: ToggleCall,
  { name, state, expected }: Toggle,
): Promise<string> {
  const { helium } = caller.environment;
  const as = { credentials: caller.credentials(), appId: app.id };
  Object.assign(noted, {
    description: `Scheduled function ${name} ${state.toLowerCase()}`,
    before: {},
    after: { [name]: state },
  });
  const earlier = await readStates(helium, as);
  const known = earlier.get(name);
  if (known) noted.before = { [name]: known };
  if (expected !== undefined && known !== undefined && known !== expected) {
    throw new Conflict(
      `${name} is ${known.toLowerCase()} now: it was changed since you opened it. Your change was not applied.`,
    );
  }
  const text = await helium.toggleScheduledEvent({ ...as, scheduledEvent: name, state });
  const note = await verify(helium, as, new Map([...earlier, [name, state]]));
  if (note === undefined) return text;
  noted.reason = note;
  return `${text} ${note}`;
}

/** Returns the state of each function by its name. */
async function readStates(helium: HeliumClient, as: AppCallContext): Promise<Map<string, FunctionState>> {
  const { entries } = await helium.listScheduledEvents(as);
  return new Map(entries.map(({ unit, event, state }) => [`${unit}:${event}`, state]));
}

/**
 * Reads the functions again after a change. Throws Unreachable if one has another state than
 * expected, and returns a note if they cannot be read.
 */
async function verify(
  helium: HeliumClient,
  as: AppCallContext,
  expected: ReadonlyMap<string, FunctionState>,
): Promise<string | undefined> {
  let now: ReadonlyMap<string, FunctionState>;
  try {
    now = await readStates(helium, as);
  } catch (error) {
    if (error instanceof Problem) return 'The functions could not be read again to verify it.';
    throw error;
  }
  const different = [...expected].filter(([name, state]) => now.get(name) !== state);
  if (different.length === 0) return undefined;
  const states = different.map(([name]) => `${name} is ${now.get(name)?.toLowerCase() ?? 'no longer listed'}`);
  throw new Unreachable(
    `Not as requested: the platform accepted the change, but the functions read back differently: ${states.join(', ')}.`,
  );
}
