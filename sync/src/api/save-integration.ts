/**
 * MERGE: saves a complete configuration, as a new integration or in place of the stored one. It
 * saves everything or nothing.
 */
import { type SyncConfig, syncConfigSchema } from '@portal/contract/sync/config';
import { syncTexts } from '@portal/contract/sync/texts';
import { readPayload } from '@portal/edge/read-payload';
import { formatUtc } from '@portal/kit/format-utc';
import { inTransaction, type PoolClient } from '@portal/kit/postgres/pool';
import { Conflict } from '@portal/kit/problems';
import * as z from 'zod/mini';
import type { StoredIntegration } from '../integration/integration.ts';
import type { ConnectionTarget, OperatorActions } from '../integration/operator-actions.ts';
import { findIntegration, insertIntegration, updateIntegration } from '../portal-store/integrations.store.ts';
import { notifyIntegrationChanged } from '../portal-store/notifications.ts';
import { changeStatus, recordStatus } from '../portal-store/status.store.ts';
import { requireEnvironment, type ServiceParts } from '../setup/service-parts.ts';
import type { Caller } from './caller.ts';
import { type CheckedConfig, checkConfig } from './check-config.ts';
import { findObstacles } from './examine-target.ts';
import { InvalidFields } from './invalid-fields.ts';
import type { AppFacts } from './template.ts';

export interface SaveRequest {
  readonly caller: Caller;
  readonly app: AppFacts;
  /** The data source whose database holds the app's schema; null when no configured one does. */
  readonly dataSource: string | null;
  /** The configuration as sent by the client. */
  readonly config: unknown;
}

const basedOnSchema = z.looseObject({ basedOn: syncConfigSchema.shape.basedOn });

type Parts = ServiceParts & { readonly operations: OperatorActions };
type ValidConfig = Extract<CheckedConfig, { config: SyncConfig }>;

/**
 * Saves the integration and returns the result as a sentence. Throws InvalidFields and Conflict.
 */
export async function saveIntegration(parts: Parts, request: SaveRequest, signal: AbortSignal): Promise<string> {
  const { pool, config, logWriter } = parts;
  const { caller, app } = request;
  const environment = requireEnvironment(config, caller.environment);
  const stored = await findIntegration(pool, caller.environment, app.id);
  // Check the base version first: against another version, all other checks would be misleading.
  rejectStale(readPayload(basedOnSchema, request.config).basedOn, stored, app);
  const checked = checkConfig({ ...request, environment, stored });
  if (!('config' in checked)) throw new InvalidFields(checked.problems);
  const warnings = checked.config.enabled ? await rejectUnusable(parts, request, checked, stored, signal) : null;

  const { id, message } = await inTransaction(pool, (client) =>
    stored ? update(parts, client, request, checked, stored) : create(parts, client, request, checked),
  );
  logWriter.write(id, 'INFO', `${stored ? 'Saved' : 'Created'} by ${caller.user}.`);
  await logWriter.flush();
  return warnings === null ? message : `${message} ${warnings}`;
}

/** Returns both connections of a configuration as the engine uses them. */
export async function toConnectionTarget(
  { passwords }: ServiceParts,
  { caller, app }: SaveRequest,
  { config, dataSource, password }: ValidConfig,
  stored: StoredIntegration | undefined,
): Promise<ConnectionTarget> {
  const journeyPassword = password ?? (stored && (await passwords.read(stored)));
  if (!journeyPassword)
    throw new InvalidFields([{ field: 'journey.restAPICredentials.password', reason: 'is missing' }]);
  return { environment: caller.environment, appId: app.id, dataSource, config, journeyPassword, isNew: !stored };
}

/**
 * Rejects a save that is based on an outdated version. `basedOn` is null for a new integration, the
 * time of the last change for an existing one; when it is omitted, both are allowed.
 */
function rejectStale(basedOn: string | null | undefined, stored: StoredIntegration | undefined, app: AppFacts): void {
  if (basedOn === undefined) return;
  if (basedOn === null) {
    if (stored) throw new Conflict(syncTexts.alreadyThere(app.id));
    return;
  }
  if (!stored) throw new Conflict(`The integration for ${app.id} was deleted in the meantime.`);
  if (basedOn !== stored.changedAt) throw toStaleConflict(stored.changedBy, stored.changedAt);
}

function toStaleConflict(by: string, atIso: string): Conflict {
  return new Conflict(
    `${by} changed this integration in the meantime, on ${formatUtc(atIso)}. Reload it before you change it.`,
  );
}

/**
 * Rejects an enabled integration that cannot run. A disabled one may refer to things that do not
 * exist yet. Returns the warnings as a text; null when there are none.
 */
async function rejectUnusable(
  parts: Parts,
  request: SaveRequest,
  checked: ValidConfig,
  stored: StoredIntegration | undefined,
  signal: AbortSignal,
): Promise<string | null> {
  const target = await toConnectionTarget(parts, request, checked, stored);
  const { problems, warnings } = await findObstacles(parts, target, signal);
  if (problems.length > 0) throw new InvalidFields(problems);
  return warnings;
}

interface SaveResult {
  readonly id: string;
  readonly message: string;
}

async function create(
  parts: Parts,
  client: PoolClient,
  request: SaveRequest,
  checked: ValidConfig,
): Promise<SaveResult> {
  const { caller, app } = request;
  const { config, dataSource, password } = checked;
  if (!password) throw new InvalidFields([{ field: 'journey.restAPICredentials.password', reason: 'is missing' }]);
  const appKey = { environment: caller.environment, appId: app.id };
  const id = await insertIntegration(client, {
    ...appKey,
    appName: app.name,
    dataSource,
    config,
    sealedPassword: parts.passwords.seal(password, appKey),
    by: caller.user,
  });
  if (id === undefined) throw new Conflict(syncTexts.alreadyThere(app.id));
  await recordStatus(client, id, config.enabled ? 'Enabled' : 'Disabled', caller.user, 'created');
  await notifyIntegrationChanged(client, id);
  return { id, message: config.enabled ? 'Saved and enabled.' : 'Saved.' };
}

async function update(
  { passwords }: Parts,
  client: PoolClient,
  { caller, app }: SaveRequest,
  { config, dataSource, password }: ValidConfig,
  stored: StoredIntegration,
): Promise<SaveResult> {
  const { id } = stored;
  const { rows } = await client.query<{ changed_at: Date; changed_by: string }>(
    'select changed_at, changed_by from sync.integration where id = $1 for no key update',
    [id],
  );
  const [current] = rows;
  if (!current) throw new Conflict(`The integration for ${app.id} was deleted in the meantime.`);
  // Check again under the lock: another save may have been faster.
  const changedAt = current.changed_at.toISOString();
  if (changedAt !== stored.changedAt) throw toStaleConflict(current.changed_by, changedAt);
  await updateIntegration(client, {
    id,
    appName: app.name,
    dataSource,
    config,
    ...(password && { sealedPassword: passwords.seal(password, stored) }),
    by: caller.user,
  });
  const event = config.enabled ? 'save-enabled' : 'save-disabled';
  const transition = await changeStatus(client, { id, event, by: caller.user, reason: 'saved' });
  return { id, message: transition?.message ?? 'Saved.' };
}
