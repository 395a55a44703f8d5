/**
 * The Journey simulator in its own process, without a rate limit, and the simulated devices of the
 * benchmark.
 */
import { randomUUID } from 'node:crypto';
import { startJourneySimulator } from '@portal/platforms/journey/simulator';
import { readChildArgument, serveParent } from '../inside-child.ts';
import { deploymentId, deviceVisit, schemaXml } from './app-schema.ts';

export interface BackendArgument {
  readonly postgresUrl: string;
  readonly database: string;
  readonly deployments: number;
}

export interface BackendReady {
  readonly baseUrl: string;
  readonly password: string;
}

/** Makes devices of the first deployment create this many objects, or one with the given id. */
export type BackendOrder = { readonly make: number } | { readonly makeId: string };

const password = 'journey-secret';

const { postgresUrl, database, deployments } = readChildArgument<BackendArgument>();
const simulator = await startJourneySimulator({
  postgres: { url: postgresUrl },
  database,
  live: false,
  deployments: Array.from({ length: deployments }, (_, app) => ({
    id: deploymentId(app),
    password,
    schemaXml,
    rateLimit: 'off' as const,
  })),
});
const { device } = simulator.deployment(deploymentId(0));
const edit = async (ids: readonly string[]) => {
  const operations = ids.map((id, n) => ({ method: 'put' as const, object: deviceVisit(id, n) }));
  for (const outcome of await device.edit(...operations)) if (!outcome.success) throw outcome.problem;
};
const ready: BackendReady = { baseUrl: simulator.baseUrl, password };
serveParent(ready, async (request) => {
  const order = request as BackendOrder;
  if ('makeId' in order) await edit([order.makeId]);
  else {
    for (let left = order.make; left > 0; left -= 1000)
      await edit(Array.from({ length: Math.min(left, 1000) }, () => randomUUID()));
  }
  return true;
});
