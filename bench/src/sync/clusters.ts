/**
 * Two PostgreSQL servers, the source and the target of changes, used by both the sync service and
 * the peer.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getTreeUsage } from '@portal/e2e/processes';
import { type PostgresServer, startPostgres } from '@portal/kit/postgres/launcher';
import pg from 'pg';

export interface Clusters {
  readonly folder: string;
  /** Holds the app's schemas. */
  readonly source: PostgresServer;
  /** Holds Journey's objects and the portal's own database. */
  readonly target: PostgresServer;
  /** Opens a session with a database, which is created if it does not exist. */
  connect(server: PostgresServer, database: string): Promise<pg.Client>;
  /** Returns the CPU seconds that a server has used so far. */
  cpuSeconds(server: PostgresServer): Promise<number>;
  stop(): Promise<void>;
}

/** Identical on both servers, so that both kinds of replication have the same conditions. */
const settings = {
  wal_level: 'logical',
  // Nothing is sent before it is flushed, and without this setting the flush of a commit is
  // delayed.
  synchronous_commit: 'on',
  max_wal_senders: '8',
  max_replication_slots: '8',
  max_logical_replication_workers: '4',
  shared_buffers: '128MB',
  max_wal_size: '2GB',
};

export async function startClusters(): Promise<Clusters> {
  const folder = mkdtempSync(join(tmpdir(), 'portal-bench-sync-'));
  const start = (name: string) => startPostgres({ dataDir: join(folder, name), isFast: true, settings });
  const [source, target] = await Promise.all([start('source'), start('target')]);
  const sessions: pg.Client[] = [];
  const open = async (url: string) => {
    const client = new pg.Client(url);
    await client.connect();
    sessions.push(client);
    return client;
  };
  const owners = new Map([
    [source, await open(source.url)],
    [target, await open(target.url)],
  ]);
  const getOwner = (server: PostgresServer) => {
    const owner = owners.get(server);
    if (!owner) throw new Error('The server is not one of these clusters.');
    return owner;
  };
  return {
    folder,
    source,
    target,
    async connect(server, database) {
      const owner = getOwner(server);
      const { rowCount } = await owner.query('select from pg_database where datname = $1', [database]);
      if (rowCount === 0) await owner.query(`create database ${pg.escapeIdentifier(database)}`);
      return open(server.urlFor(database));
    },
    cpuSeconds: (server) => getServerCpuSeconds(getOwner(server)),
    async stop() {
      await Promise.all(sessions.map((session) => session.end()));
      await Promise.all([source.stop(), target.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the CPU seconds that the server of a superuser's session has used so far. */
export async function getServerCpuSeconds(session: pg.Client): Promise<number> {
  const { rows } = await session.query<{ pid: number }>(
    `select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)::int as pid`,
  );
  const pid = rows[0]?.pid ?? Number.NaN;
  return getTreeUsage(pid).cpuSeconds + endedCpuSeconds(pid);
}

/**
 * CPU time of a process's ended children: fields 16 and 17 of /proc/PID/stat, in hundredths of a
 * second.
 */
function endedCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [userTicks, systemTicks] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15);
  return (Number(userTicks) + Number(systemTicks)) / 100;
}
