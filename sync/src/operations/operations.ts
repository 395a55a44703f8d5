/**
 * Answers, for people, what is kept in or read from the two platforms; see `api/engine-desk.ts`.
 */
import { NotFound } from '@portal/kit/problems';
import { createJourneyClient } from '@portal/platforms/journey/client';
import type { JourneyPace } from '@portal/platforms/journey/journey-pace';
import { forgetAgreedLocks } from '../enrollment/agreed-locks.store.ts';
import { checkEnrollment } from '../enrollment/check-enrollment.ts';
import { openHeliumEnd } from '../helium/open-helium-end.ts';
import type { StoredIntegration } from '../integration/integration.ts';
import type { DeskTarget, EngineDesk, HeldSelection } from '../integration/operator-actions.ts';
import { stateKeyOf, stateKeysOf } from '../integration/state-key.ts';
import { openJourneyEnd } from '../journey/open-journey-end.ts';
import { checkMapping } from '../mapping/check-mapping.ts';
import type { HeliumCatalog } from '../mapping/helium-catalog.ts';
import type { JourneyCatalog } from '../mapping/journey-catalog.ts';
import type { Mapping } from '../mapping/object-map.ts';
import { pairModels } from '../mapping/pair-models.ts';
import { listDriftPoints } from '../sync-state/comparisons.store.ts';
import type { HeliumDatabases } from '../sync-state/helium-databases.ts';
import {
  findRun,
  listConflicts,
  listHeld,
  moveCursor,
  requestComparison,
  retryHeld,
  skipHeld,
} from '../sync-state/operations.store.ts';
import { dropRuns, takeRun } from '../sync-state/runs.store.ts';
import { explainProblem } from './explain-failure.ts';

export function createDesk(databases: HeliumDatabases, pace: JourneyPace): EngineDesk {
  const poolOf = ({ environment, dataSource }: StoredIntegration) => databases.of(environment, dataSource).pool;

  async function inRun<T>(integration: StoredIntegration, none: T, ask: (run: number) => Promise<T>): Promise<T> {
    const run = await findRun(poolOf(integration), stateKeyOf(integration));
    return run === null ? none : ask(run);
  }

  return {
    tryEnds: (target, signal) => tryEnds(databases, pace, target, signal),
    readHeld: (integration, ask) =>
      inRun(integration, { records: [], total: 0 }, (run) => listHeld(poolOf(integration), run, ask)),
    readConflicts: (integration, ask) =>
      inRun(integration, { conflicts: [], total: 0 }, (run) => listConflicts(poolOf(integration), run, ask)),
    retry: (integration, selection) =>
      inRun(integration, 0, (run) => retryHeld(poolOf(integration), run, chosen(selection))),
    skip: (integration, selection) =>
      inRun(integration, 0, (run) => skipHeld(poolOf(integration), run, chosen(selection))),
    async moveCursor(integration, to) {
      const { prepare, pool } = databases.of(integration.environment, integration.dataSource);
      await prepare();
      const { stateId } = await takeRun(pool, stateKeyOf(integration), to.fence, { changeLog: '0', opLog: '0' });
      await moveCursor(pool, stateId, to);
    },
    readDrift: (integration) => inRun(integration, [], (run) => listDriftPoints(poolOf(integration), run)),
    requestAudit: (integration) =>
      inRun(integration, undefined, async (run) => {
        await requestComparison(poolOf(integration), run);
        return undefined;
      }),
    async forget(integration, fence) {
      const pool = poolOf(integration);
      const key = stateKeyOf(integration);
      if ((await findRun(pool, key)) === null) return;
      // With the newer fence in it, a run that does not know yet is refused before anything is
      // gone.
      await takeRun(pool, key, fence, { changeLog: '0', opLog: '0' });
      await dropRuns(pool, stateKeysOf(integration));
      await forgetAgreedLocks(pool, stateKeysOf(integration));
    },
  };
}

function chosen(selection: HeldSelection): { nos: readonly string[] | null; kind: string | null } {
  return 'nos' in selection ? { nos: selection.nos, kind: null } : { nos: null, kind: selection.kind };
}

type Tried = Awaited<ReturnType<EngineDesk['tryEnds']>>;

async function tryEnds(
  databases: HeliumDatabases,
  pace: JourneyPace,
  target: DeskTarget,
  signal: AbortSignal,
): Promise<Tried> {
  const { config } = target;
  const [helium, journey] = await Promise.all([readHelium(databases, target), readJourney(pace, target, signal)]);
  const { read: catalog } = helium;
  const { read: models } = journey;
  const mapping = catalog && models ? mappingOf(target, catalog, models) : undefined;
  const problems = [
    ...(catalog ? checkEnrollment(config.journeyToHeliumEnrollment, catalog, models ?? null) : []),
    ...(catalog && models && mapping ? checkMapping({ config, catalog, models, mapping }) : []),
  ];
  return {
    helium: helium.told,
    journey: journey.told,
    problems,
    notes: (mapping?.notes ?? []).map(({ severity, table, model, field, reason }) => ({
      severity,
      object: table ?? model ?? '',
      field: field ?? null,
      reason,
    })),
  };
}

interface EndTried<Read> {
  readonly told: Tried['helium'];
  readonly read?: Read;
}

async function readHelium(databases: HeliumDatabases, target: DeskTarget): Promise<EndTried<HeliumCatalog>> {
  try {
    const { pool } = databases.of(target.environment, target.dataSource);
    const { dbSchema } = target.config.helium;
    const catalog = await openHeliumEnd({ pool, schema: dbSchema }).readCatalog();
    if (catalog.tables.length === 0)
      throw new NotFound(`${target.dataSource} has no schema ${dbSchema} with tables in it.`);
    const tracked = catalog.tables.filter(({ isTracked }) => isTracked).length;
    const message = `${dbSchema} on ${target.dataSource}: ${catalog.tables.length} tables, ${tracked} tracked.`;
    return { told: { reached: true, message }, read: catalog };
  } catch (error) {
    return { told: { reached: false, message: explainProblem(error) } };
  }
}

async function readJourney(
  pace: JourneyPace,
  { config, journeyPassword }: DeskTarget,
  signal: AbortSignal,
): Promise<EndTried<JourneyCatalog>> {
  try {
    const { baseUrl, restAPICredentials } = config.journey;
    const client = createJourneyClient({ baseUrl, userName: restAPICredentials.userName, password: journeyPassword });
    const known = { get: async () => new Map<string, string>(), remember: async () => undefined };
    const models = await openJourneyEnd({ client, pace, knownAttachments: known }).readModels(signal);
    return { told: { reached: true, message: `${models.models.length} objects.` }, read: models };
  } catch (error) {
    signal.throwIfAborted();
    return { told: { reached: false, message: explainProblem(error) } };
  }
}

function mappingOf({ config }: DeskTarget, catalog: HeliumCatalog, models: JourneyCatalog): Mapping {
  return pairModels({
    catalog,
    models,
    skipTables: config.heliumToJourney.changeLogSkipTables,
    skipObjectTypes: config.journeyToHelium.oplogSkipObjectTypes,
    enableHeliumToJourney: config.enableHeliumToJourney,
    enableJourneyToHelium: config.enableJourneyToHelium,
  });
}
