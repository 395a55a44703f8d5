/** A simulated Journey for one test file, with a new gateway for each test. */
import type { DeploymentHandle, JourneySimulator } from '@portal/simulators/journey/simulator';
import { smallDeployment } from '@portal/simulators/journey/small-deployment';
import { startTestJourney } from '@portal/simulators/journey/test-simulator';
import type { Mapping, ObjectMap } from '../mapping/object-map.ts';
import { farmerFields, mapSmallDeployment, openTestGateway } from './journey-gateway.fixture.ts';
import type { JourneyEntry, JourneyOutcome, JourneyWrite, OpLogPage } from './journey-gateway.ts';

/** Two deployments, one of them with sequences beyond 2^53. */
export const deploymentIds = { usual: smallDeployment.id, large: '5f1a2b3c4d5e6f7081920a0c' };
/** The number before the first entry of each. */
export const logStarts = { usual: '0', large: '9007199254740990' };
export const signal = new AbortController().signal;

export interface JourneyWorld {
  readonly simulator: JourneySimulator;
  deployment: DeploymentHandle;
  opened: ReturnType<typeof openTestGateway>;
  /** Journey's data model when the gateway was opened. */
  mapping: Mapping;
  /** Opens another gateway, with a newly built mapping. */
  open(id: string): Promise<void>;
  farmerMap(): ObjectMap;
  send(...writes: JourneyWrite[]): Promise<JourneyOutcome[]>;
  read(cursor: string, limit: number): Promise<OpLogPage>;
  /** Reads to the end of the op-log. Withheld or lost entries are errors. */
  readAll(
    cursor: string,
    limit: number,
    beforePage?: (pageNumber: number) => void,
  ): Promise<{ readonly entries: readonly JourneyEntry[]; readonly cursor: string }>;
}

export async function startJourneyWorld(): Promise<JourneyWorld> {
  const large = { ...smallDeployment, id: deploymentIds.large, firstSequence: String(BigInt(logStarts.large) + 1n) };
  const simulator = await startTestJourney({ deployments: [smallDeployment, large] });
  const opening = async (id: string) => {
    const deployment = simulator.deployment(id);
    const opened = openTestGateway(deployment);
    return { deployment, opened, mapping: mapSmallDeployment(await opened.gateway.readModels(signal)) };
  };
  const world: JourneyWorld = {
    simulator,
    ...(await opening(deploymentIds.usual)),
    async open(id) {
      Object.assign(world, await opening(id));
    },
    farmerMap() {
      const map = world.mapping.objects.find(({ table }) => table === 'farmer');
      if (!map) throw new Error('There is no farmer.');
      return map;
    },
    send: (...writes) => world.opened.gateway.send(world.mapping, writes, signal),
    read: (cursor, limit) =>
      world.opened.gateway.readOpLog({
        mapping: world.mapping,
        cursor,
        isStart: Object.values(logStarts).includes(cursor),
        limit,
        signal,
      }),
    async readAll(cursor, limit, beforePage = () => undefined) {
      const entries: JourneyEntry[] = [];
      let at = cursor;
      for (let pageNumber = 0; ; pageNumber += 1) {
        beforePage(pageNumber);
        const page = await world.read(at, limit);
        if (page.historyLost) throw new Error(`The op-log has nothing at ${at}.`);
        if (page.entries.length > limit) throw new Error(`There are ${page.entries.length} entries.`);
        entries.push(...page.entries);
        at = page.cursor;
        if (page.isLast) return { entries, cursor: at };
      }
    },
  };
  return world;
}

export function farmer(id: string, given: Parameters<typeof farmerFields>[0] = {}): JourneyWrite {
  return { key: { table: 'farmer', id }, method: 'put', fields: farmerFields(given) };
}

/** Returns what a call throws, or undefined when it does not. */
export function problemOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (problem: unknown) => problem,
  );
}
