import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { getScheduledFunctionResults } from '@portal/contract/scheduled-functions';
import { smallEnvironment } from '@portal/simulators/helium/small-environment';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../testing/small-world.ts';
import { parseProblem } from '../testing/test-client.ts';
import { startTestServer } from '../testing/test-server.ts';

let world: SmallWorld;
/** A server that accepts connections and never responds. */
let silent: Server;

beforeAll(async () => {
  world = await startSmallWorld();
  silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  silent.close();
  await world.stop();
});

function dataSource(heliumDataSourceName: string, port: number) {
  return { heliumDataSourceName, hostname: 'x', dbName: 'x', url: `postgres://x@127.0.0.1:${port}/x` };
}

async function resultsThrough(dataSources: ReturnType<typeof dataSource>[]) {
  const environment = { name: smallEnvironment.name, baseUrl: world.baseUrl, dataSources };
  const server = await startTestServer({ environments: [environment] });
  onTestFinished(() => server.stop());
  const client = await server.signIn('demo', 'demo');
  return client.attempt(getScheduledFunctionResults, { uuid: world.helium.app('Stock Room').id });
}

describe('data source of an app', () => {
  it('finds a schema without waiting for data sources that are down or silent', async () => {
    const { port } = silent.address() as AddressInfo;
    const response = await resultsThrough([
      dataSource('dead', 1),
      dataSource('silent', port),
      ...world.helium.dataSources,
    ]);
    expect(response.status).toBe(200);
  });

  it('the error names an unreachable data source that may contain the schema', async () => {
    const response = await resultsThrough([dataSource('dead', 1), world.helium.dataSources[0]]);
    expect(response.status).toBe(502);
    expect(parseProblem(response).message).toBe('The data source dead cannot be reached: connection refused.');
  });

  it('the error reports that no data source contains the schema', async () => {
    expect(parseProblem(await resultsThrough([world.helium.dataSources[0]])).message).toBe(
      'No data source of Production has the schema stock_room_001.',
    );
    expect((await resultsThrough([])).status).toBe(404);
  });
});
