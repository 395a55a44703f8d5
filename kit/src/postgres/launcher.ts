import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../ports.ts';
import { acquireProcessLock } from '../process-lock.ts';
import { findMajorVersion } from './binaries.ts';
import { type Cluster, type ClusterOptions, prepareCluster, superuser } from './cluster.ts';
import { endLeftover, kill, readPidFile } from './postmaster.ts';
import { reasonIn } from './server-log.ts';
import { startWatched, type WatchedProcess } from './watched-process.ts';

export interface PostgresOptions extends ClusterOptions {
  /**
   * Folder of this server alone, made when missing. It keeps the data, the superuser's password and
   * the log.
   */
  readonly dataDir: string;
  /** TCP port on 127.0.0.1; without it a free one. */
  readonly port?: number;
  /** PostgreSQL settings that replace or complete ours. */
  readonly settings?: Record<string, string>;
}

export interface PostgresServer {
  /** Of the superuser, to the database `postgres`. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Settles, with a sentence, when the server ends without having been asked to. */
  readonly lost: Promise<string>;
  urlFor(database: string, user?: string, password?: string): string;
  stop(): Promise<void>;
  /** Stops and starts on the same port; every session is cut. */
  restart(): Promise<void>;
}

const host = '127.0.0.1';
const startedWithinMs = 120_000;
const stoppedWithinMs = 20_000;
const pollMs = 10;

/** Modest enough to run unnoticed beside everything else on a laptop. */
const serverSettings = {
  listen_addresses: host,
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '32MB',
  min_wal_size: '32MB',
  max_wal_size: '256MB',
  // No worker processes that nobody here needs.
  max_logical_replication_workers: '0',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Errors of statements go to whoever sent them; the log tells of the server itself and so stays
  // small.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};

/** What only newer servers know, by the first major version that does. */
const settingsSince: readonly (readonly [major: number, settings: Readonly<Record<string, string>>])[] = [
  [18, { io_method: 'sync' }],
];

const fastSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
};

/**
 * Starts the embedded PostgreSQL on a data folder and waits until it takes connections. It ends
 * with this process, kill -9 included. Throws an Error whose message is one sentence when it cannot
 * start.
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  mkdirSync(options.dataDir, { recursive: true });
  const lock = acquireProcessLock(join(options.dataDir, 'owner'));
  if ('heldBy' in lock) throw new Error(`The data in ${options.dataDir} is in use by process ${lock.heldBy.pid}.`);
  let cluster: Cluster;
  let port: number;
  let running: WatchedProcess;
  try {
    cluster = prepareCluster(options.dataDir, options);
    port = options.port ?? (await freePort());
    running = await start(cluster, options, port);
  } catch (error) {
    lock.release();
    throw error;
  }

  let reportLoss: (reason: string) => void;
  const lost = new Promise<string>((resolve) => {
    reportLoss = resolve;
  });
  let wanted = true;
  const watchForLoss = (server: WatchedProcess) =>
    void server.ended.then(
      () => wanted && server === running && reportLoss(`PostgreSQL ended: ${reasonIn(logFile(options))}`),
    );
  watchForLoss(running);

  const halt = async () => {
    wanted = false;
    await stop(running, cluster.pgdata);
  };
  const urlFor = (database: string, user = superuser, password = cluster.password) =>
    `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${port}/${encodeURIComponent(database)}`;
  return {
    url: urlFor('postgres'),
    host,
    port,
    user: superuser,
    password: cluster.password,
    lost,
    urlFor,
    async stop() {
      await halt();
      lock.release();
    },
    async restart() {
      await halt();
      running = await start(cluster, options, port);
      wanted = true;
      watchForLoss(running);
    },
  };
}

async function start(cluster: Cluster, options: PostgresOptions, port: number): Promise<WatchedProcess> {
  await endLeftover(cluster.pgdata);
  const major = findMajorVersion(cluster.binaries);
  const newer = settingsSince.filter(([since]) => major >= since).map(([, settings]) => settings);
  const settings = Object.assign({}, serverSettings, ...newer, options.fast ? fastSettings : {}, options.settings);
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const output = openSync(logFile(options), 'w', 0o600);
  const command = [cluster.binaries.postgres, '-D', cluster.pgdata, '-p', String(port), ...flags];
  const server = startWatched(command, { account: cluster.account, output });
  closeSync(output);

  const giveUpAt = Date.now() + startedWithinMs;
  while (!server.hasEnded() && Date.now() < giveUpAt) {
    if (readPidFile(cluster.pgdata)?.status === 'ready') return server;
    await pause(pollMs);
  }
  await stop(server, cluster.pgdata);
  throw new Error(`PostgreSQL cannot start on port ${port}: ${reasonIn(logFile(options))}`);
}

async function stop(server: WatchedProcess, pgdata: string): Promise<void> {
  const pid = readPidFile(pgdata)?.pid;
  server.letGo();
  const late = new AbortController();
  const hurry = pause(stoppedWithinMs, undefined, { signal: late.signal }).then(
    () => pid && kill(pid, 'SIGQUIT'),
    () => undefined,
  );
  await server.ended;
  late.abort();
  await hurry;
}

function logFile(options: PostgresOptions): string {
  return join(options.dataDir, 'server.log');
}
