import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { closeHttpServer } from '@portal/kit/close-http-server';
import { getOwnPlace } from '@portal/kit/process-place';
import { buildApi } from './api/api.ts';
import type { Engine, ServiceParts } from './setup/service-parts.ts';
import { BacklogChecks, type BacklogTiming } from './supervisor/backlog-checks.ts';
import type { RetryLimits } from './supervisor/classify-failure.ts';
import { Supervisor } from './supervisor/supervisor.ts';

export interface Service {
  /** `http://127.0.0.1:8081` */
  readonly address: string;
  readonly supervisor: Supervisor;
  /** Stops in order: no new calls, runs stopped, leases released, all lines written. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly retryLimits?: RetryLimits;
  readonly backlogTiming?: BacklogTiming;
}

/**
 * Starts the complete service over a migrated database: it serves the API and runs its share of the
 * integrations.
 */
export async function startService(
  parts: ServiceParts,
  engine: Engine,
  { host, port, retryLimits, backlogTiming }: ServiceOptions,
): Promise<Service> {
  const { pool, apiPool, silence, notifications, logger, logWriter, passwords, config } = parts;
  const supervisor = new Supervisor({
    pool,
    silence,
    notifications,
    logger,
    logWriter,
    startRun: engine.startRun,
    readPassword: (integration) => passwords.read(integration),
    // Unique per start, so that the next start of this process is another holder.
    holder: { id: `${hostname()} ${process.pid} ${randomUUID()}`, place: getOwnPlace() },
    slots: config.sync.slots,
    ...(retryLimits && { retryLimits }),
  });
  const { leases, figureWriter } = supervisor;
  const backlogChecks = new BacklogChecks(
    { pool, logger, operations: engine.operations, readPassword: (integration) => passwords.read(integration) },
    backlogTiming,
  );
  const app = await buildApi({ ...parts, pool: apiPool, operations: engine.operations, leases, figureWriter });
  const stopRunning = async () => {
    await backlogChecks.stop();
    await supervisor.stop();
    await engine.stop();
    await logWriter.flush();
    await notifications.stop();
    await Promise.all([pool.end(), apiPool.end()]);
  };
  try {
    const address = await app.listen({ host, port });
    return {
      address,
      supervisor,
      async stop() {
        await closeHttpServer(app);
        await stopRunning();
      },
    };
  } catch (error) {
    await stopRunning();
    throw error;
  }
}
