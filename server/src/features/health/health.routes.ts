import { setTimeout as wait } from 'node:timers/promises';
import { getHealth, getReadiness } from '@portal/contract/operations';
import { parts } from '@portal/contract/problem';
import { explainRefusedChange } from '@portal/kit/postgres/pool';
import type { FastifyInstance } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';

const databaseTimeoutMs = 2_000;
/** PostgreSQL does not report whether its disk has room, so a failed write counts for this long. */
const diskFullMs = 60_000;

/**
 * Serves the health checks: `healthz` reports that the process is running, with warnings, and
 * `readyz` that it can handle requests or why not. Both are public and reveal nothing else.
 *
 * A node whose database accepts no changes is not ready: no user can sign in there, and changes on
 * a platform cannot be audited. After a failover another node may already use the new primary.
 *
 * A node is ready without the sync service, because all nodes share it: taking them out one by one
 * would make everything else unavailable too. `unavailable` names it.
 */
export function healthRoutes(
  app: FastifyInstance,
  { pools, syncService, audit, notifications, logger }: Dependencies,
): void {
  let diskFullUntilMs = 0;
  app.addHook('onError', async (_request, _reply, error) => {
    if (isDiskFull(error)) diskFullUntilMs = Date.now() + diskFullMs;
  });

  app.get(getHealth.path, () => ({
    status: 'ok',
    ...(notifications.warning !== undefined && { warnings: [notifications.warning] }),
  }));

  app.get(getReadiness.path, async (_request, reply) => {
    const database = Promise.race([
      pools.session
        .query<{ isReadOnly: boolean }>(
          `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "isReadOnly"`,
        )
        .then(
          ({ rows: [row] }) => ({ isReadOnly: row?.isReadOnly === true }),
          (error: Error) => ({ failure: error.message || 'no response' }),
        ),
      wait(databaseTimeoutMs, { failure: `no response within ${databaseTimeoutMs / 1000} s` }, { ref: false }),
    ]);
    const [state, isSyncReachable] = await Promise.all([database, syncService.isReachable()]);
    const unavailable = isSyncReachable ? [] : [parts.syncService];
    if ('failure' in state) {
      // The endpoint is public, so addresses and roles of the database stay in the log.
      logger.warn({ reason: state.failure }, 'not ready: the database is unavailable');
      const reason = "The portal's database is unavailable. See the log for the reason.";
      return reply.code(503).send({ ready: false, reasons: [reason], unavailable: [parts.database, ...unavailable] });
    }
    const refusal = state.isReadOnly
      ? 'it is read-only'
      : Date.now() < diskFullUntilMs
        ? 'its disk is full'
        : audit.isBackedUp
          ? 'the audit trail cannot be written'
          : undefined;
    if (refusal === undefined) return { ready: true, reasons: [], unavailable };
    const reason = `The portal's database accepts no changes at the moment (${refusal}).`;
    return reply.code(503).send({ ready: false, reasons: [reason], unavailable });
  });
}

/** Temporary files of one large statement are removed when it fails, so others are not affected. */
function isDiskFull(error: Error): boolean {
  return explainRefusedChange(error) === 'its disk is full' && !error.message.includes('pgsql_tmp');
}
