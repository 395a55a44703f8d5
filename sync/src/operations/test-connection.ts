import type { ConfigProblem } from '@portal/contract/sync/config';
import { NotFound } from '@portal/kit/problems';
import { createJourneyClient } from '@portal/platforms/journey/client';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { checkEnrollment } from '../enrollment/check-enrollment.ts';
import { findMissingRights } from '../helium/find-missing-rights.ts';
import { openHeliumGateway } from '../helium/open-helium-gateway.ts';
import type { ConnectionTarget, OperatorActions } from '../integration/operator-actions.ts';
import type { JourneyGateway } from '../journey/journey-gateway.ts';
import { openJourneyGateway } from '../journey/open-journey-gateway.ts';
import { checkMapping } from '../mapping/check-mapping.ts';
import type { HeliumCatalog } from '../mapping/helium-catalog.ts';
import type { JourneyCatalog } from '../mapping/journey-catalog.ts';
import type { Mapping } from '../mapping/object-map.ts';
import { pairModels } from '../mapping/pair-models.ts';
import type { HeliumDatabases } from '../sync-state/helium-databases.ts';
import { explainFailure } from './explain-failure.ts';
import { listWantedRights } from './list-wanted-rights.ts';
import { probeFile } from './probe-file.ts';
import { probeJourney } from './probe-journey.ts';

interface JourneyParts {
  readonly rateLimiter: JourneyRateLimiter;
  /** See `file-hosts.ts` of Journey's client. */
  readonly fileHosts: readonly string[];
}

interface ConnectionParts extends JourneyParts {
  readonly databases: HeliumDatabases;
}

type ConnectionTest = Awaited<ReturnType<OperatorActions['testConnection']>>;

/** Reads both data models, pairs them, and makes the other calls that the integration needs. */
export async function testConnection(
  { databases, ...platform }: ConnectionParts,
  target: ConnectionTarget,
  signal: AbortSignal,
): Promise<ConnectionTest> {
  const { config } = target;
  const [helium, journey] = await Promise.all([readHelium(databases, target), readJourney(platform, target, signal)]);
  const { read: catalog } = helium;
  const { read: models } = journey;
  const mapping = catalog && models ? buildMapping(target, catalog, models) : undefined;
  const { gateway } = journey;
  const fileNotes = mapping && gateway ? await probeFile(gateway, mapping.objects, signal) : [];
  const problems = [
    ...(catalog ? await findHeliumProblems(databases, target, mapping) : []),
    ...journey.problems,
    ...(catalog ? checkEnrollment(config.journeyToHeliumEnrollment, catalog, models ?? null) : []),
    ...(catalog && models && mapping ? checkMapping({ config, catalog, models, mapping }) : []),
  ];
  return {
    helium: helium.result,
    journey: journey.result,
    problems,
    notes: [...(mapping?.notes ?? []), ...fileNotes].map(({ severity, table, model, field, reason }) => ({
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
    const database = databases.get(target.environment, target.dataSource);
    await database.requireVersion();
    const { dbSchema } = target.config.helium;
    const catalog = await openHeliumGateway({ pool: database.asApp(dbSchema), schema: dbSchema }).readCatalog();
    if (catalog.tables.length === 0)
      throw new NotFound(`${target.dataSource} has no schema ${dbSchema} that contains tables.`);
    const tracked = catalog.tables.filter(({ isTracked }) => isTracked).length;
    const message = `${dbSchema} on ${target.dataSource}: ${catalog.tables.length} tables, ${tracked} tracked.`;
    return { result: { reached: true, message }, read: catalog };
  } catch (error) {
    const message = explainFailure(error, `The data source ${target.dataSource}`);
    return { result: { reached: false, message } };
  }
}

/**
 * Returns the rights that the portal's user lacks, each with the statement that grants it. Without
 * them nothing else can be read; with them, what is wrong with the version of the change log.
 */
async function findHeliumProblems(
  databases: HeliumDatabases,
  { environment, dataSource, config, isNew }: ConnectionTarget,
  mapping: Mapping | undefined,
): Promise<ConfigProblem[]> {
  const { dbSchema: schema } = config.helium;
  const { asApp, hasSeparateLogins } = databases.get(environment, dataSource);
  const pool = asApp(schema);
  try {
    const wanted = listWantedRights(config.journeyToHeliumEnrollment, mapping?.objects ?? []);
    const grants = await findMissingRights(pool, schema, { tables: wanted, createsState: !hasSeparateLogins });
    if (grants.length > 0)
      return grants.map((sql) => ({
        field: 'helium.dbSchema',
        reason: `The portal's user in ${dataSource} needs more rights. Run there: ${sql};`,
      }));
    if (!isNew || !config.enableHeliumToJourney) return [];
    const version = config.heliumToJourney.changeLogMinVersionAsString;
    const problem = await openHeliumGateway({ pool, schema }).findVersionProblem(version);
    return problem ? [{ field: 'heliumToJourney.changeLogMinVersionAsString', reason: problem.reason }] : [];
  } catch (error) {
    return [{ field: 'helium.dbSchema', reason: explainFailure(error, `The data source ${dataSource}`) }];
  }
}

interface JourneyTest extends SideTest<JourneyCatalog> {
  readonly problems: readonly ConfigProblem[];
  readonly gateway?: JourneyGateway;
}

async function readJourney(
  { rateLimiter, fileHosts }: JourneyParts,
  { config, journeyPassword, isNew }: ConnectionTarget,
  signal: AbortSignal,
): Promise<JourneyTest> {
  try {
    const { baseUrl, restAPICredentials } = config.journey;
    const { userName } = restAPICredentials;
    const client = createJourneyClient({ baseUrl, userName, password: journeyPassword, fileHosts });
    const known = { get: async () => new Map<string, string>() };
    const gateway = openJourneyGateway({ client, rateLimiter, knownAttachments: known });
    const models = await gateway.readModels(signal);
    const problems = await probeJourney(config, { client, gateway, rateLimiter, isNew }, signal);
    return { result: { reached: true, message: `${models.models.length} objects.` }, read: models, problems, gateway };
  } catch (error) {
    signal.throwIfAborted();
    return { result: toUnreachedJourney(error), problems: [] };
  }
}

/** Returns why Journey was not read, and the field to correct unless it is the URL. */
function toUnreachedJourney(error: unknown): ConnectionTest['journey'] {
  const message = explainFailure(error);
  const kind = error instanceof JourneyProblem ? error.failure.kind : null;
  if (kind === 'credentials-rejected') return { reached: false, message, field: 'journey.restAPICredentials.password' };
  if (kind === 'not-found')
    return { reached: false, message: `There is no deployment with the id in this URL. ${message}` };
  return { reached: false, message };
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
