/**
 * Simulates a Journey backend: an HTTP server with any number of app deployments over a real
 * PostgreSQL database, which behaves as publicly documented. It does not depend on the portal.
 *
 * The API of a deployment, under `/api/v4/{its id}/`, needs HTTP Basic with the id as user name,
 * `Bearer O:<token>` or `Token <token>`:
 *
 *   GET, POST                objects/{model}.json                limit, skip, sort[f], query[f.operator], total
 *   GET, PUT, PATCH, DELETE  objects/{model}/{id}.json           bodies are wrapped: {model: {field: value}}
 *   GET                      objects/{model}/count.json
 *   POST                     objects/{model}/query.json          {expression, arguments, limit, skip, sort, total}
 *   POST                     objects/{model}/{id}/re_enroll.json legacy, one device per user
 *   POST                     batch.json                          {operations: [{method, object}], stop_on_error}
 *   GET                      oplog.json                          start, end, limit, or tail=true; sequence_ids=true
 *   GET                      datamodel.json, datamodel.xml, info.json, indexes.json
 *   GET                      users, users/{id}, users/{id}/sessions/{id}
 *   POST                     users/{id}/lock, unlock, authentication-token
 *   POST                     users/{id}/sessions/{id}/wipe, re-authenticate
 *   GET                      attachments/{id}/original           redirects to the bytes
 *
 * Where nothing is documented, this is our choice: an unknown field is INVALID_VALUE, but the
 * fields of a response may be sent back; a write without changes keeps `updated_at` and is not
 * logged; integers have 32 bits; belongs-to ids need not exist; the same bytes under the same name
 * are one attachment; a deleted user stays listed and locked; an op-log that dropped its oldest
 * entries starts with the remaining ones without any notice.
 *
 * A model's `<webhook>` without a receiver is sent once an administrator has enabled it and entered
 * its URL, for which there is no API: POST with `{event, server, app, app_id, account_id, sequence,
 * operation, object}` and two signatures over the raw body, `X-Journey-Signature` (HMAC-SHA256 with
 * the webhook's secret) and `X-Journey-Signature-Rsa-Sha256` (PKCS #1 v1.5, base64). Deletions are
 * not sent. Our choice: `embed` has no effect; `ready` is sent at an object's first complete save
 * since its webhook was enabled; the end of an upload is not a save; without a response, or with a
 * status of 500 or more, there are up to three attempts; when 10,000 wait, the oldest are dropped.
 *
 * The control routes need no credentials and respond to this machine only:
 *
 *   GET, PUT /simulator/faults     {mode, path?, method?, status?, delayMs?, skip?, times?}, a list of them, or null for none
 *   POST /simulator/cut-connections
 *   PUT  /simulator/deployments/{id}/datamodel     the schema's XML: deploys it
 *   PUT  /simulator/deployments/{id}/settings      {password?, rateLimit?, clockSkewMs?, multiDevice?, deviceEdits?}
 *   GET, PUT /simulator/deployments/{id}/webhooks  {name, url?, enabled?, encoding?: hex or base64}; lists name,
 *                                                  model, type, url, enabled, encoding, secret
 *   GET, PUT /simulator/deployments/{id}/webhook-faults   {mode, path?, delayMs?, skip?, times?}, a list of them, or
 *                                                  null for none; `path` matches the webhook's name
 *   POST /simulator/deployments/{id}/edit          {operations}: as a device
 *   POST /simulator/deployments/{id}/play          {count}: the next edits of its simulated devices
 *   POST /simulator/deployments/{id}/drop-op-log   {keep}: drops all but the last entries
 */
import type { Logger } from '@portal/kit/logger';
import { createPool, type Pool } from '@portal/kit/postgres/pool';
import { listen } from '../kit/http-server.ts';
import { createApi } from './api.ts';
import { registerAttachmentRoutes } from './attachment-routes.ts';
import { registerBatchRoutes } from './batch-routes.ts';
import { dropDatabase, provisionDatabase } from './database.ts';
import type { DeploymentDefinition } from './definition.ts';
import { createDeployment, type Deployment, provisionDeployment } from './deployment.ts';
import { registerDeploymentControls } from './deployment-controls.ts';
import { createHandle, type DeploymentHandle } from './deployment-handle.ts';
import { createDeviceActivity, startDeviceActivity } from './device-activity.ts';
import { createJourneyServer, type Faults } from './journey-server.ts';
import { registerModelRoutes } from './model-routes.ts';
import { registerObjectRoutes } from './object-routes.ts';
import { registerOpLogRoutes } from './op-log-routes.ts';
import { registerUserRoutes } from './user-routes.ts';
import { createWebhookSender } from './webhook-sender.ts';
import { createWebhooks } from './webhooks.ts';
import { write } from './write-path.ts';

export type { DeploymentDefinition } from './definition.ts';
export type { DeploymentCopy } from './deployment-copy.ts';
export type { DeploymentHandle } from './deployment-handle.ts';
export type { Fault } from './journey-server.ts';

export interface JourneySimulatorOptions {
  /** The superuser address of the PostgreSQL server that holds the backend's database. */
  readonly postgres: { readonly url: string };
  /** The name of that database, which is created if needed. Default: `journey_platform`. */
  readonly database?: string;
  readonly deployments: readonly DeploymentDefinition[];
  /** Default: a free port. */
  readonly port?: number;
  /** Whether devices edit on their own, as each deployment's `activity` defines. Default: true. */
  readonly live?: boolean;
  readonly log?: Logger;
}

export interface JourneySimulator {
  readonly baseUrl: string;
  readonly port: number;
  /** In the order of their definitions. */
  readonly deployments: readonly DeploymentHandle[];
  /** Returns a deployment by its id; throws when there is none. */
  deployment(id: string): DeploymentHandle;
  readonly faults: Faults;
  /** Returns the key that verifies the RSA signatures of webhooks, as PEM. */
  webhookPublicKey(): Promise<string>;
  /** Closes every connection, even in the middle of a response. */
  cutConnections(): void;
  stop(options?: { readonly dropDatabase?: boolean }): Promise<void>;
}

const maxPoolSize = 10;
const fillChunk = 1000;

/** Throws when the port is in use, a schema is invalid, or PostgreSQL cannot be reached. */
export async function startJourneySimulator(options: JourneySimulatorOptions): Promise<JourneySimulator> {
  const { postgres, database = 'journey_platform', log } = options;
  const url = await provisionDatabase(postgres.url, database);
  const pool = createPool(url, {
    max: maxPoolSize,
    applicationName: 'journey-platform',
    ...(log ? { logger: log } : {}),
  });
  const http = createJourneyServer();
  const cutConnections = () => http.server.server.closeAllConnections();
  try {
    const deployments: Deployment[] = [];
    for (const definition of options.deployments) deployments.push(await openDeployment(definition, pool));
    const handles: DeploymentHandle[] = [];
    registerDeploymentControls(http, handles, cutConnections);
    const api = createApi(http, deployments);
    registerModelRoutes(api);
    registerObjectRoutes(api);
    registerBatchRoutes(api);
    registerOpLogRoutes(api);
    registerUserRoutes(api);
    registerAttachmentRoutes(api, http, deployments);
    const { port, baseUrl } = await listen(http.server, options.port);
    const activities = deployments.map((deployment) =>
      createDeviceActivity(deployment, deployment.definition.activity?.seed ?? 1),
    );
    const sender = createWebhookSender();
    const webhooks = deployments.map((deployment) => createWebhooks({ deployment, baseUrl, sender, log }));
    for (const [index, deployment] of deployments.entries()) {
      const [life, hooks] = [activities[index], webhooks[index]];
      if (life !== undefined && hooks !== undefined) handles.push(createHandle(deployment, baseUrl, life, hooks));
    }
    const stopActivities = deployments.flatMap(({ definition, hasDeviceEdits }, index) => {
      const life = activities[index];
      if (!(options.live ?? true) || definition.activity === undefined || life === undefined) return [];
      return [startDeviceActivity(life, { ...definition.activity, isOn: hasDeviceEdits }, log)];
    });
    log?.info({ baseUrl, deployments: deployments.length }, 'simulated Journey backend started');
    return {
      baseUrl,
      port,
      deployments: handles,
      deployment: (id) => {
        const found = handles.find((handle) => handle.id === id);
        if (found === undefined) throw new Error(`There is no deployment ${id}`);
        return found;
      },
      faults: http.faults,
      webhookPublicKey: sender.publicKey,
      cutConnections,
      async stop({ dropDatabase: isDropped = false } = {}) {
        await Promise.all(stopActivities.map((end) => end()));
        http.faults.clear();
        await http.server.close();
        await Promise.all(webhooks.map((hooks) => hooks.stop()));
        await sender.stop();
        await pool.end();
        if (isDropped) await dropDatabase(postgres.url, database);
      },
    };
  } catch (error) {
    await http.server.close();
    await pool.end();
    throw error;
  }
}

/** Fills a deployment at its first start; an interrupted start can be repeated. */
async function openDeployment(definition: DeploymentDefinition, pool: Pool): Promise<Deployment> {
  const row = await provisionDeployment(definition, pool);
  const deployment = createDeployment(definition, row, pool);
  if (row.is_filled) return deployment;
  const objects = definition.objects ?? [];
  for (let at = 0; at < objects.length; at += fillChunk) {
    const operations = objects.slice(at, at + fillChunk).map((object) => ({ method: 'put' as const, object }));
    const outcomes = await write(deployment, operations, { origin: 'device' });
    for (const outcome of outcomes) if (!outcome.success) throw outcome.problem;
  }
  await pool.query('update deployment set is_filled = true where key = $1', [row.key]);
  return deployment;
}
