/**
 * Closes single connections of a pool whose other end has died without a sign while others work.
 * Their statements would wait for their time-outs.
 *
 *   a statement is unanswered, and no byte arrives for some time
 *     ─▶ the server is asked on another connection what it does for this one
 *          runs the statement ─────────────▶ it is only slow
 *          nothing, or waits for its client ▶ the connection is closed, and its statement fails
 *
 * Connections through a pooler are left alone: which process serves them is not known.
 */
import pg from 'pg';
import { closeAtOnce } from './open-connections.ts';
import type { Pool, PoolClient } from './pool.ts';
import { getServerProcess } from './session.ts';

export interface DeadTiming {
  readonly checkEveryMs: number;
  /** After this many checks in which nothing arrived, the server is asked. */
  readonly silentChecks: number;
  /** How long the server has to answer that: the connection for it may have died, too. */
  readonly askMs: number;
}

export const defaultDeadTiming: DeadTiming = { checkEveryMs: 1_000, silentChecks: 5, askMs: 2_000 };

interface Watched {
  received: number;
  /** Checks since the last byte arrived, while a statement is unanswered. */
  silentChecks: number;
  /** How often in a row the server has denied that it runs the statement. */
  denials: number;
}

/** Returns the pool. */
export function closeDeadConnections(pool: Pool, timing = defaultDeadTiming): Pool {
  const clients = new Map<PoolClient, Watched>();
  let timer: NodeJS.Timeout | undefined;

  const findSilent = () =>
    [...clients].flatMap(([client, watched]) => {
      const process = getServerProcess(client);
      const received = countReceived(client);
      const isSilent = isAwaited(client) && received === watched.received;
      if (!isSilent) Object.assign(watched, { received, silentChecks: 0, denials: 0 });
      else watched.silentChecks += 1;
      return watched.silentChecks >= timing.silentChecks && process !== undefined ? [{ client, watched, process }] : [];
    });
  const check = async () => {
    const silent = findSilent();
    if (silent.length === 0) return;
    const busy = await listBusy(pool, silent, timing.askMs);
    for (const { client, watched, process } of silent) {
      if (watched.silentChecks === 0) continue;
      watched.denials = busy.has(process) ? 0 : watched.denials + 1;
      // A response may be on its way the first time.
      if (watched.denials >= 2) closeAtOnce(client);
    }
  };

  pool.on('connect', (client) => {
    clients.set(client, { received: 0, silentChecks: 0, denials: 0 });
    timer ??= setInterval(() => void check().catch(() => undefined), timing.checkEveryMs).unref();
  });
  pool.on('remove', (client) => {
    clients.delete(client);
    if (clients.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  });
  return pool;
}

/** Returns those processes that run a statement and do not wait for their client. */
async function listBusy(
  pool: Pool,
  silent: readonly { readonly process: number }[],
  askMs: number,
): Promise<ReadonlySet<number>> {
  const question: pg.QueryConfig & { readonly query_timeout: number } = {
    // Without pg_read_all_stats, the state of other logins is null.
    text: `select pid from pg_catalog.pg_stat_activity where pid = any($1)
      and coalesce(state, '') not like 'idle%' and wait_event_type is distinct from 'Client'`,
    values: [silent.map(({ process }) => process)],
    query_timeout: askMs,
  };
  const { rows } = await pool.query<{ pid: number }>(question);
  return new Set(rows.map(({ pid }) => pid));
}

/** Returns whether the server owes a response. */
function isAwaited(client: PoolClient): boolean {
  return Reflect.get(client, 'readyForQuery') === false;
}

function countReceived(client: PoolClient): number {
  if (!(client instanceof pg.Client)) return 0;
  const received: unknown = Reflect.get(client.connection.stream, 'bytesRead');
  return typeof received === 'number' ? received : 0;
}
