import type { App } from '@portal/contract/apps';
import type { FunctionState } from '@portal/contract/scheduled-functions';
import { Problem, Unreachable } from '@portal/kit/problems';
import type { AppCallContext, HeliumClient } from '@portal/platforms/helium/client';
import { requireApp } from '../../access/app-access.ts';
import { toOutcome } from '../../audit/audit-trail.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';

interface Toggle {
  readonly app: App;
  /** 'unit:event' */
  readonly name: string;
  readonly state: FunctionState;
}

/**
 * Sets the state of a scheduled function, audits it, and returns the platform's text. Concurrent
 * changes are ignored: the function ends up in the requested state. Throws Unreachable if the
 * platform shows another result.
 *
 * @param name 'unit:event'
 */
export async function toggleFunction(
  dependencies: Pick<Dependencies, 'permissions' | 'audit' | 'locks'>,
  caller: Caller,
  appId: string,
  name: string,
  state: FunctionState,
): Promise<string> {
  await dependencies.permissions.require(caller, 'functions.toggle', { resource: appId });
  const app = await requireApp(caller, appId, 'functions.toggle');
  // Without the lock, the change of another user would look like a result of this one.
  return dependencies.locks.run(`functions ${caller.environment.name} ${app.id}`, () =>
    apply(dependencies, caller, { app, name, state }),
  );
}

async function apply(
  { audit }: Pick<Dependencies, 'audit'>,
  caller: Caller,
  { app, name, state }: Toggle,
): Promise<string> {
  const { helium } = caller.environment;
  const as = { credentials: caller.credentials(), appId: app.id };
  const auditEntry = {
    action: 'functions.toggle',
    resource: app.id,
    resourceName: app.name,
    description: `Scheduled function ${name} ${state.toLowerCase()}`,
    after: { [name]: state },
  } as const;
  let before: Record<string, FunctionState> = {};
  try {
    const earlier = await readStates(helium, as);
    const known = earlier.get(name);
    if (known) before = { [name]: known };
    const text = await helium.toggleScheduledEvent({ ...as, scheduledEvent: name, state });
    const note = await verify(helium, as, new Map([...earlier, [name, state]]));
    await audit.write(caller, { ...auditEntry, before, outcome: 'done', ...(note !== undefined && { reason: note }) });
    return note === undefined ? text : `${text} ${note}`;
  } catch (error) {
    await audit.write(caller, { ...auditEntry, before, ...toOutcome(error) });
    throw error;
  }
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
