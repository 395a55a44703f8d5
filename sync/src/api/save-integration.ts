/**
 * MERGE: a whole configuration, for a new integration or in place of the stored one. All of it is
 * kept, or nothing.
 */
import { type ConfigProblem, type SyncConfig, syncConfigSchema } from '@portal/contract/sync-config';
import { syncTexts } from '@portal/contract/sync-texts';
import { inTransaction, type PoolClient } from '@portal/kit/postgres/pool';
import { Conflict } from '@portal/kit/problems';
import * as z from 'zod/mini';
import type { StoredIntegration } from '../integration/integration.ts';
import type { ConnectionTarget, OperatorActions } from '../integration/operator-actions.ts';
import { findIntegration, insertIntegration, updateIntegration } from '../portal-store/integrations.store.ts';
import { tellIntegrationChanged } from '../portal-store/notifications.ts';
import { changeStatus, noteStatus } from '../portal-store/status.store.ts';
import { requireEnvironment, type ServiceParts } from '../setup/service-parts.ts';
import type { Caller } from './caller.ts';
import { type CheckedConfig, checkConfig } from './check-config.ts';
import { read } from './route.ts';
import { InvalidFields } from './send-problems.ts';
import type { AppFacts } from './template.ts';

export interface Wish {
  readonly caller: Caller;
  readonly app: AppFacts;
  /** Whose database holds the app's schema; null: no configured one does. */
  readonly dataSource: string | null;
  /** As it was sent. */
  readonly config: unknown;
}

const based = z.object({ basedOn: syncConfigSchema.shape.basedOn });

type Parts = ServiceParts & { readonly operations: OperatorActions };
type Sound = Extract<CheckedConfig, { config: SyncConfig }>;

/** Answers what has become of it, in a sentence. Throws InvalidFields and Conflict. */
export async function saveIntegration(parts: Parts, wish: Wish, signal: AbortSignal): Promise<string> {
  const { pool, config, lines } = parts;
  const { caller, app } = wish;
  const environment = requireEnvironment(config, caller.environment);
  const stored = await findIntegration(pool, caller.environment, app.id);
  // What it was filled from comes first: compared with another one, all the rest would be judged
  // wrongly.
  refuseStale(read(based, wish.config).basedOn, stored, app);
  const checked = checkConfig({ ...wish, environment, stored });
  if (!('config' in checked)) throw new InvalidFields(checked.problems);
  if (checked.config.enabled) await refuseUnusable(parts, wish, checked, stored, signal);

  const { id, message } = await inTransaction(pool, (client) =>
    stored ? update(parts, client, wish, checked, stored) : create(parts, client, wish, checked),
  );
  lines.write(id, 'INFO', `${stored ? 'Saved' : 'Created'} by ${caller.user}.`);
  await lines.flush();
  return message;
}

/** Both ends of a configuration, as the engine would use them. */
export async function targetOf(
  { passwords }: ServiceParts,
  { caller, app }: Wish,
  { config, dataSource, password }: Sound,
  stored: StoredIntegration | undefined,
): Promise<ConnectionTarget> {
  const journeyPassword = password ?? (stored && (await passwords.read(stored)));
  if (!journeyPassword)
    throw new InvalidFields([{ field: 'journey.restAPICredentials.password', reason: 'is missing' }]);
  return { environment: caller.environment, appId: app.id, dataSource, config, journeyPassword };
}

/**
 * `basedOn`: null makes a new one, an instant changes what was so then; left out, it is one or the
 * other.
 */
function refuseStale(basedOn: string | null | undefined, stored: StoredIntegration | undefined, app: AppFacts): void {
  if (basedOn === undefined) return;
  if (basedOn === null) {
    if (stored) throw new Conflict(syncTexts.alreadyThere(app.id));
    return;
  }
  if (!stored) throw new Conflict(`The integration for ${app.id} was deleted meanwhile.`);
  if (basedOn !== stored.changedAt) throw staleProblem(stored.changedBy, stored.changedAt);
}

function staleProblem(by: string, atIso: string): Conflict {
  const at = atIso.replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
  return new Conflict(`${by} has changed this integration meanwhile, on ${at}. Load it again before you change it.`);
}

/**
 * An integration that cannot run is not begun; one that is saved disabled may be prepared for what
 * is not there yet.
 */
async function refuseUnusable(
  parts: Parts,
  wish: Wish,
  checked: Sound,
  stored: StoredIntegration | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { helium, journey, problems } = await parts.operations.testConnection(
    await targetOf(parts, wish, checked, stored),
    signal,
  );
  const unreached: ConfigProblem[] = [
    ...(helium.reached ? [] : [{ field: 'helium.baseUrl', reason: helium.message }]),
    ...(journey.reached ? [] : [{ field: 'journey.baseUrl', reason: journey.message }]),
  ];
  if (unreached.length + problems.length > 0) throw new InvalidFields([...unreached, ...problems]);
}

interface Saved {
  readonly id: string;
  readonly message: string;
}

async function create(parts: Parts, client: PoolClient, wish: Wish, checked: Sound): Promise<Saved> {
  const { caller, app } = wish;
  const { config, dataSource, password } = checked;
  if (!password) throw new InvalidFields([{ field: 'journey.restAPICredentials.password', reason: 'is missing' }]);
  const place = { environment: caller.environment, appId: app.id };
  const id = await insertIntegration(client, {
    ...place,
    appName: app.name,
    dataSource,
    config,
    sealedPassword: parts.passwords.seal(password, place),
    by: caller.user,
  });
  if (id === undefined) throw new Conflict(syncTexts.alreadyThere(app.id));
  await noteStatus(client, id, config.enabled ? 'Enabled' : 'Disabled', caller.user, 'created');
  await tellIntegrationChanged(client, id);
  return { id, message: config.enabled ? 'Saved and enabled.' : 'Saved.' };
}

async function update(
  { passwords }: Parts,
  client: PoolClient,
  { caller, app }: Wish,
  { config, dataSource, password }: Sound,
  stored: StoredIntegration,
): Promise<Saved> {
  const { id } = stored;
  const { rows } = await client.query<{ changed_at: Date; changed_by: string }>(
    'select changed_at, changed_by from sync.integration where id = $1 for no key update',
    [id],
  );
  const [now] = rows;
  if (!now) throw new Conflict(`The integration for ${app.id} was deleted meanwhile.`);
  // Looked at again under the lock: another save may have come between.
  const changedAt = now.changed_at.toISOString();
  if (changedAt !== stored.changedAt) throw staleProblem(now.changed_by, changedAt);
  await updateIntegration(client, {
    id,
    appName: app.name,
    dataSource,
    config,
    ...(password && { sealedPassword: passwords.seal(password, stored) }),
    by: caller.user,
  });
  const event = config.enabled ? 'save-enabled' : 'save-disabled';
  const step = await changeStatus(client, { id, event, by: caller.user, reason: 'saved' });
  return { id, message: step?.message ?? 'Saved.' };
}
