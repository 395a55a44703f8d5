/**
 * Runs the engine in a separate process, for tests that kill it. It runs one integration until it
 * is killed. After an outage it runs again, as in the service: on a busy machine, PostgreSQL may
 * end a session that was idle in a transaction for too long.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Enrollment } from '@portal/contract/sync/enrollment';
import { Secret } from '@portal/kit/secret';
import { isExternalOutage } from '../../supervisor/classify-failure.ts';
import { HeliumDatabases } from '../../sync-state/helium-databases.ts';
import { createStartRun } from '../run/start-run.ts';
import {
  createIntegration,
  dataSource,
  environment,
  quickRateLimiter,
  quickTiming,
  quickUnloggedMs,
} from './sync-integration.fixture.ts';

export interface EngineCommand {
  readonly heliumUrl: string;
  readonly appId: string;
  readonly journey: { readonly id: string; readonly url: string; readonly userName: string };
  readonly password: string;
  readonly fence: string;
  readonly idleInTransactionMs: number;
  /** How many files are downloaded at once. */
  readonly parallelDownloads: number;
  readonly enrollment?: Enrollment;
}

process.on('message', async (command: EngineCommand) => {
  const url = new Secret(command.heliumUrl);
  const databases = new HeliumDatabases(
    [{ name: environment, dataSources: [{ heliumDataSourceName: dataSource, url }] }],
    8,
    { idleInTransactionMs: command.idleInTransactionMs, unloggedEveryMs: quickUnloggedMs },
  );
  const files = { ...quickTiming.files, parallelDownloads: command.parallelDownloads };
  const startRun = createStartRun({ databases, rateLimiter: quickRateLimiter(), timing: { ...quickTiming, files } });
  const integration = createIntegration(command.journey, command.appId);
  const { config } = integration;
  const journeyToHeliumEnrollment = command.enrollment ?? config.journeyToHeliumEnrollment;
  process.send?.('begun');
  const runOnce = () =>
    startRun({
      integration: { ...integration, config: { ...config, journeyToHeliumEnrollment } },
      fence: command.fence,
      journeyPassword: new Secret(command.password),
      signal: new AbortController().signal,
      assertLease: () => undefined,
      log: (key, value) => key === 'SEVERE' && console.error(value),
      publish: () => undefined,
      reportBug: (error) => console.error(error),
      withSlot: (work) => work(),
      onWake: () => undefined,
      onWebhook: () => undefined,
      onTryNow: () => undefined,
    });
  for (;;) {
    const result = await runOnce().catch((error: unknown) => {
      if (!isExternalOutage(error)) throw error;
    });
    if (result) throw new Error(`The engine stopped on its own: ${JSON.stringify(result)}`);
    await pause(50);
  }
});
// The parent process has stopped.
process.on('disconnect', () => process.exit());
process.send?.('ready');
