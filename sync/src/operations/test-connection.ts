import { NotFound } from '@portal/kit/problems';
import { createJourneyClient } from '@portal/platforms/journey/client';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { checkEnrollment } from '../enrollment/check-enrollment.ts';
import { openHeliumGateway } from '../helium/open-helium-gateway.ts';
import type { ConnectionTarget, OperatorActions } from '../integration/operator-actions.ts';
import { openJourneyGateway } from '../journey/open-journey-gateway.ts';
import { checkMapping } from '../mapping/check-mapping.ts';
import type { HeliumCatalog } from '../mapping/helium-catalog.ts';
import type { JourneyCatalog } from '../mapping/journey-catalog.ts';
import type { Mapping } from '../mapping/object-map.ts';
import { pairModels } from '../mapping/pair-models.ts';
import type { HeliumDatabases } from '../sync-state/helium-databases.ts';
import { explainFailure } from './explain-failure.ts';

type ConnectionTest = Awaited<ReturnType<OperatorActions['testConnection']>>;

/** Reads both data models, and pairs them when both are available. */
export async function testConnection(
  databases: HeliumDatabases,
  rateLimiter: JourneyRateLimiter,
  target: ConnectionTarget,
  signal: AbortSignal,
): Promise<ConnectionTest> {
  const { config } = target;
  const [helium, journey] = await Promise.all([
    readHelium(databases, target),
    readJourney(rateLimiter, target, signal),
  ]);
  const { read: catalog } = helium;
  const { read: models } = journey;
  const mapping = catalog && models ? buildMapping(target, catalog, models) : undefined;
  const problems = [
    ...(catalog ? checkEnrollment(config.journeyToHeliumEnrollment, catalog, models ?? null) : []),
    ...(catalog && models && mapping ? checkMapping({ config, catalog, models, mapping }) : []),
  ];
  return {
    helium: helium.result,
    journey: journey.result,
    problems,
    notes: (mapping?.notes ?? []).map(({ severity, table, model, field, reason }) => ({
      severity,
      object: table ?? model ?? '',
      field: field ?? null,
      reason,
    })),
  };
}

interface SideTest<Read> {
  readonly result: ConnectionTest['helium'];
  readonly read?: Read;
}

async function readHelium(databases: HeliumDatabases, target: ConnectionTarget): Promise<SideTest<HeliumCatalog>> {
  try {
    const { pool } = databases.get(target.environment, target.dataSource);
    const { dbSchema } = target.config.helium;
    const catalog = await openHeliumGateway({ pool, schema: dbSchema }).readCatalog();
    if (catalog.tables.length === 0)
      throw new NotFound(`${target.dataSource} has no schema ${dbSchema} that contains tables.`);
    const tracked = catalog.tables.filter(({ isTracked }) => isTracked).length;
    const message = `${dbSchema} on ${target.dataSource}: ${catalog.tables.length} tables, ${tracked} tracked.`;
    return { result: { reached: true, message }, read: catalog };
  } catch (error) {
    return { result: { reached: false, message: explainFailure(error) } };
  }
}

async function readJourney(
  rateLimiter: JourneyRateLimiter,
  { config, journeyPassword }: ConnectionTarget,
  signal: AbortSignal,
): Promise<SideTest<JourneyCatalog>> {
  try {
    const { baseUrl, restAPICredentials } = config.journey;
    const client = createJourneyClient({ baseUrl, userName: restAPICredentials.userName, password: journeyPassword });
    const known = { get: async () => new Map<string, string>(), store: async () => undefined };
    const models = await openJourneyGateway({ client, rateLimiter, knownAttachments: known }).readModels(signal);
    return { result: { reached: true, message: `${models.models.length} objects.` }, read: models };
  } catch (error) {
    signal.throwIfAborted();
    return { result: { reached: false, message: explainFailure(error) } };
  }
}

function buildMapping({ config }: ConnectionTarget, catalog: HeliumCatalog, models: JourneyCatalog): Mapping {
  return pairModels({
    catalog,
    models,
    skipTables: config.heliumToJourney.changeLogSkipTables,
    skipObjectTypes: config.journeyToHelium.oplogSkipObjectTypes,
    enableHeliumToJourney: config.enableHeliumToJourney,
    enableJourneyToHelium: config.enableJourneyToHelium,
  });
}
