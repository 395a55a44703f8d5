/**
 * The Journey simulator in its own process, without a rate limit, and the simulated devices of the
 * benchmark.
 */
import { randomUUID } from 'node:crypto';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import { startJourneySimulator } from '@portal/simulators/journey/simulator';
import { readChildArgument, serveParent } from '../inside-child.ts';
import { deploymentId, deviceVisit, photoSchemaXml, schemaXml } from './app-schema.ts';

export interface BackendArgument {
  readonly postgresUrl: string;
  readonly database: string;
  readonly deployments: number;
  readonly hasPhotos?: boolean;
}

export interface BackendReady {
  readonly baseUrl: string;
  readonly password: string;
}

/**
 * Makes devices of a deployment, the first by default, create this many objects, or one with the
 * given id, or this many with a photo of this size, in one save. Or changes the ages of objects in
 * one save. Or sends the webhooks of a
 * deployment to an address, and returns their secrets.
 */
export type BackendOrder =
  | { readonly make: number }
  | { readonly makeId: string; readonly app?: number }
  | { readonly webhooks: string; readonly app: number }
  | { readonly ages: readonly (readonly [id: string, age: number])[] }
  | { readonly photos: number; readonly bytes: number };

const password = 'journey-secret';

const { postgresUrl, database, deployments, hasPhotos } = readChildArgument<BackendArgument>();
const simulator = await startJourneySimulator({
  postgres: { url: postgresUrl },
  database,
  live: false,
  deployments: Array.from({ length: deployments }, (_, app) => ({
    id: deploymentId(app),
    password,
    schemaXml: hasPhotos ? photoSchemaXml : schemaXml,
    rateLimit: 'off' as const,
  })),
});
type Device = ReturnType<typeof simulator.deployment>['device'];
const save = async (operations: Parameters<Device['edit']>, app = 0) => {
  const { device } = simulator.deployment(deploymentId(app));
  for (const outcome of await device.edit(...operations)) if (!outcome.success) throw outcome.problem;
};
const edit = async (
  ids: readonly string[],
  { app = 0, photoBytes }: { readonly app?: number; readonly photoBytes?: number } = {},
) => {
  const operations = ids.map((id, n) => ({
    method: 'put' as const,
    object: { ...deviceVisit(id, n), ...(photoBytes !== undefined && { photo: toUpload(createPhoto(photoBytes)) }) },
  }));
  await save(operations, app);
};
const toUpload = (photo: Buffer) => ({ base64: photo.toString('base64'), filename: 'field.jpg' });
const createIds = (length: number) => Array.from({ length }, () => randomUUID());
const ready: BackendReady = { baseUrl: simulator.baseUrl, password };
serveParent(ready, async (request) => {
  const order = request as BackendOrder;
  if ('webhooks' in order) {
    const { webhooks, setWebhook } = simulator.deployment(deploymentId(order.app));
    return webhooks().map(({ name }) => setWebhook(name, { url: order.webhooks, isEnabled: true }).secret);
  }
  if ('ages' in order)
    await save(order.ages.map(([id, age]) => ({ method: 'patch', object: { type: 'visit', id, age } })));
  else if ('makeId' in order) await edit([order.makeId], { app: order.app ?? 0 });
  else if ('photos' in order) await edit(createIds(order.photos), { photoBytes: order.bytes });
  else for (let left = order.make; left > 0; left -= 1000) await edit(createIds(Math.min(left, 1000)));
  return true;
});
