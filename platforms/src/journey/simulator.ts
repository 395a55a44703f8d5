/**
 * A Journey backend that lives on this machine: an HTTP server with any number of app deployments,
 * over a real PostgreSQL database, which behaves as what is publicly known of the real one. It
 * knows of no portal.
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
 * What nothing public says is our choice: an unknown field is INVALID_VALUE, but what objects carry
 * on reading may come back; a write that changes nothing keeps `updated_at` and is not logged;
 * integers have 32 bits; belongs-to ids need not exist; the same bytes under the same name are one
 * attachment; a deleted user stays listed, locked for ever; an op-log that forgot its oldest
 * entries begins, without a word, with those it has.
 *
 * The simulator's own switches need no credentials and answer to this machine alone:
 *
 *   GET, PUT /simulator/faults     {mode, path?, method?, status?, delayMs?, skip?, times?}, a list of them, or null for none
 *   POST /simulator/cut-connections
 *   PUT  /simulator/deployments/{id}/datamodel     the schema's XML: deploys it
 *   PUT  /simulator/deployments/{id}/settings      {password?, rateLimit?, clockSkewMs?, multiDevice?}
 *   POST /simulator/deployments/{id}/edit          {operations}: as a device
 *   POST /simulator/deployments/{id}/play          {count}: the next edits of its devices' program
 *   POST /simulator/deployments/{id}/drop-op-log   {keep}: forgets all but the last
 */
import type { Logger } from '@portal/kit/logger';
import { createPool, type Pool } from '@portal/kit/postgres/pool';
import { listen } from '../simulator-kit/http-server.ts';
import { createApi } from './simulator/api.ts';
import { registerAttachmentRoutes } from './simulator/attachment-routes.ts';
import { registerBatchRoutes } from './simulator/batch-routes.ts';
import { dropDatabase, provisionDatabase } from './simulator/database.ts';
import type { DeploymentDefinition } from './simulator/definition.ts';
import { createDeployment, type Deployment, provisionDeployment } from './simulator/deployment.ts';
import { registerDeploymentControls } from './simulator/deployment-controls.ts';
import { createHandle, type DeploymentHandle } from './simulator/deployment-handle.ts';
import { createDeviceActivity, startDeviceActivity } from './simulator/device-activity.ts';
import { createJourneyServer, type Faults } from './simulator/journey-server.ts';
import { registerModelRoutes } from './simulator/model-routes.ts';
import { registerObjectRoutes } from './simulator/object-routes.ts';
import { registerOpLogRoutes } from './simulator/op-log-routes.ts';
import { registerUserRoutes } from './simulator/user-routes.ts';
import { write } from './simulator/write-path.ts';

export type { DeploymentDefinition } from './simulator/definition.ts';
export type { DeploymentHandle } from './simulator/deployment-handle.ts';
export type { Fault } from './simulator/journey-server.ts';

export interface JourneySimulatorOptions {
  /** Superuser address of the PostgreSQL server that shall hold the backend's database. */
  readonly postgres: { readonly url: string };
  /** Name of that database, made when it is not there; `journey_platform` when left out. */
  readonly database?: string;
  readonly deployments: readonly DeploymentDefinition[];
  /** A free one when left out. */
  readonly port?: number;
  /** Whether devices edit by themselves, as each deployment's `life` says; true when left out. */
  readonly live?: boolean;
  readonly log?: Logger;
}

export interface JourneySimulator {
  readonly baseUrl: string;
  readonly port: number;
  /** In the order of their definitions. */
  readonly deployments: readonly DeploymentHandle[];
  /** By its id; throws when there is none. */
  deployment(id: string): DeploymentHandle;
  readonly faults: Faults;
  /** Cuts every connection there is, in the middle of whatever it is saying. */
  cutConnections(): void;
  stop(options?: { readonly dropDatabase?: boolean }): Promise<void>;
}

const poolMax = 10;
const fillChunk = 1000;

/** Throws when the port is taken, a schema is wrong, or PostgreSQL cannot be reached. */
export async function startJourneySimulator(options: JourneySimulatorOptions): Promise<JourneySimulator> {
  const { postgres, database = 'journey_platform', log } = options;
  const url = await provisionDatabase(postgres.url, database);
  const pool = createPool(url, { max: poolMax, applicationName: 'journey-platform', ...(log ? { logger: log } : {}) });
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
    for (const [index, life] of activities.entries()) {
      const deployment = deployments[index];
      if (deployment !== undefined) handles.push(createHandle(deployment, baseUrl, life));
    }
    const stopActivities = deployments.flatMap(({ definition }, index) => {
      const life = activities[index];
      if (!(options.live ?? true) || definition.activity === undefined || life === undefined) return [];
      return [startDeviceActivity(life, definition.activity.editsPerMinute, log)];
    });
    log?.info({ baseUrl, deployments: deployments.length }, 'a Journey backend is simulated');
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
      cutConnections,
      async stop({ dropDatabase: isDropped = false } = {}) {
        await Promise.all(stopActivities.map((end) => end()));
        http.faults.clear();
        await http.server.close();
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

/** Filled at its first start; a start that was killed half-way is simply repeated. */
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
