/**
 * The engine in a process of its own, for tests that kill it: runs one integration until it is told
 * to end, or killed.
 */
import { Secret } from '@portal/kit/secret';
import { HeliumDatabases } from '../../sync-state/helium-databases.ts';
import { createStartRun } from '../run/start-run.ts';
import { dataSource, environment, integrationOf, quickPace, quickTiming } from '../testing/sync-integration.fixture.ts';

export interface EngineOrder {
  readonly heliumUrl: string;
  readonly appId: string;
  readonly journey: { readonly id: string; readonly url: string; readonly userName: string };
  readonly password: string;
  readonly fence: string;
}

process.on('message', async (order: EngineOrder) => {
  const url = new Secret(order.heliumUrl);
  const databases = new HeliumDatabases(
    [{ name: environment, dataSources: [{ heliumDataSourceName: dataSource, url }] }],
    8,
  );
  const startRun = createStartRun({ databases, pace: quickPace(), timing: quickTiming });
  process.send?.('begun');
  const end = await startRun({
    integration: integrationOf(order.journey, order.appId),
    fence: order.fence,
    journeyPassword: new Secret(order.password),
    signal: new AbortController().signal,
    assertLease: () => undefined,
    log: (key, value) => key === 'SEVERE' && console.error(value),
    publish: () => undefined,
    withSlot: (work) => work(),
    onWake: () => undefined,
  });
  throw new Error(`It ended by itself: ${JSON.stringify(end)}`);
});
// Its killer is gone: then nobody needs it.
process.on('disconnect', () => process.exit());
process.send?.('ready');
