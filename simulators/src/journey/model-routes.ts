/** The routes that describe a deployment and its data model. */
import type { Api, Call } from './api.ts';
import { dataModelBody, hashModel, type Model } from './data-model.ts';

export function registerModelRoutes(api: Api): void {
  api.on('GET', 'datamodel.json', (call) => {
    const { models, appUser, hash } = call.deployment.dataModel();
    if (isKnown(call, hash)) return call.reply.code(304).send();
    return { ...dataModelBody(models, appUser), datamodel_hash: hash };
  });
  api.on('GET', 'datamodel.xml', (call) => {
    const { xml } = call.deployment.dataModel();
    if (isKnown(call, hashModel(xml))) return call.reply.code(304).send();
    return call.reply.type('application/xml; charset=utf-8').send(xml);
  });
  api.on('GET', 'info.json', ({ deployment: { definition, deployedAt } }) => ({
    label: definition.label ?? null,
    app_label: definition.appLabel ?? null,
    app_id: null,
    org_id: null,
    region: definition.region ?? null,
    environment: definition.environment ?? null,
    last_deployed_at: new Date(deployedAt()).toISOString(),
    deployed_by_name: null,
    deployed_by_email: null,
  }));
  api.on('GET', 'indexes.json', ({ deployment }) => {
    const since = new Date(deployment.deployedAt()).toISOString();
    const models = [...deployment.dataModel().models.values()];
    return { models: Object.fromEntries(models.map((model) => [model.name, { indexes: listIndexes(model, since) }])) };
  });
}

/** Sets the ETag and returns whether the caller already has it. */
function isKnown({ request, reply }: Call, hash: string): boolean {
  const tag = `"${hash}"`;
  reply.header('ETag', tag);
  const known = request.headers['if-none-match'] ?? '';
  return known.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
}

function listIndexes({ indexes }: Model, since: string) {
  const builtInIndexes = [
    { name: '_id_', key: { _id: 1 }, type: 'internal' },
    { name: 'updated_at', key: { updated_at: 1 }, type: 'internal' },
  ];
  return [...builtInIndexes, ...indexes.map((index) => ({ ...index, type: 'schema' }))].map((index) => ({
    ...index,
    status: 'ready',
    usage_stats: { queries: 0, since },
  }));
}
