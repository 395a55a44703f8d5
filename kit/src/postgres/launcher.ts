import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findFreePort } from '../ports.ts';
import { acquireProcessLock } from '../process-lock.ts';
import { findMajorVersion } from './binaries.ts';
import { type Cluster, type ClusterOptions, prepareCluster, superuser } from './cluster.ts';
import { readPidFile, sendSignal, stopOrphan } from './postmaster.ts';
import { readStopReason } from './server-log.ts';
import { startWatchedProcess, type WatchedProcess } from './watched-process.ts';

export interface PostgresOptions extends ClusterOptions {
  /**
   * Folder for this server only, created if missing. It holds the data, the superuser's password
   * and the log.
   */
  readonly dataDir: string;
  /** TCP port on 127.0.0.1; defaults to a free one. */
  readonly port?: number;
  /** PostgreSQL settings that override or extend the defaults. */
  readonly settings?: Record<string, string>;
}

export interface PostgresServer {
  /** Superuser address of the database `postgres`. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /**
   * Resolves with the reason, such as `signal SIGKILL`, if the server stops unexpectedly. Each
   * restart has a promise of its own.
   */
  readonly lost: Promise<string>;
  urlFor(database: string, user?: string, password?: string): string;
  stop(): Promise<void>;
  /** Stops and starts the server on the same port; all sessions are closed. */
  restart(): Promise<void>;
}

const host = '127.0.0.1';
const startTimeoutMs = 120_000;
const stopTimeoutMs = 20_000;
const pollMs = 10;
const remnantPollMs = 200;

/** Small enough to run in the background on a laptop. */
const serverSettings = {
  listen_addresses: host,
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '32MB',
  min_wal_size: '32MB',
  max_wal_size: '256MB',
  // No worker processes, because nothing here needs them.
  max_logical_replication_workers: '0',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Clients receive the errors of their statements; the log is limited to the server itself and
  // stays small.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};

/** Settings that require a minimum major version. */
const settingsByVersion: readonly (readonly [major: number, settings: Readonly<Record<string, string>>])[] = [
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
 * Starts the embedded PostgreSQL on a data folder and waits until it accepts connections. The
 * server stops when this process ends, even after kill -9. Throws an Error with a one-sentence
 * message if the server cannot start.
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
    port = options.port ?? (await findFreePort());
    running = await start(cluster, options, port);
  } catch (error) {
    lock.release();
    throw error;
  }

  let isExpectedToRun = true;
  const watchForLoss = (server: WatchedProcess) =>
    new Promise<string>((resolve) => {
      void server.ended.then((signal) => {
        if (!isExpectedToRun || server !== running) return;
        resolve(signal ? `signal ${signal}` : readStopReason(getLogFile(options)).replace(/\.$/, ''));
      });
    });
  let lost = watchForLoss(running);

  const stopServer = async () => {
    isExpectedToRun = false;
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
    get lost() {
      return lost;
    },
    urlFor,
    async stop() {
      await stopServer();
      lock.release();
    },
    async restart() {
      await stopServer();
      running = await start(cluster, options, port);
      isExpectedToRun = true;
      lost = watchForLoss(running);
    },
  };
}

async function start(cluster: Cluster, options: PostgresOptions, port: number): Promise<WatchedProcess> {
  await stopOrphan(cluster.pgdata);
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const server = launch(cluster, options, port);
    while (!server.hasEnded() && Date.now() < deadline) {
      if (readPidFile(cluster.pgdata)?.status === 'ready') return server;
      await pause(pollMs);
    }
    await stop(server, cluster.pgdata);
    const reason = readStopReason(getLogFile(options));
    // After kill -9, PostgreSQL refuses to start until the last statements of the killed server
    // have ended.
    if (!reason.includes('pre-existing shared memory block') || Date.now() >= deadline)
      throw new Error(`PostgreSQL cannot start on port ${port}: ${reason}`);
    await pause(remnantPollMs);
  }
}

function launch(cluster: Cluster, options: PostgresOptions, port: number): WatchedProcess {
  const major = findMajorVersion(cluster.binaries);
  const newer = settingsByVersion.filter(([since]) => major >= since).map(([, settings]) => settings);
  const settings = Object.assign({}, serverSettings, ...newer, options.isFast ? fastSettings : {}, options.settings);
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const output = openSync(getLogFile(options), 'w', 0o600);
  const command = [cluster.binaries.postgres, '-D', cluster.pgdata, '-p', String(port), ...flags];
  const server = startWatchedProcess(command, { account: cluster.account, output });
  closeSync(output);
  return server;
}

async function stop(server: WatchedProcess, pgdata: string): Promise<void> {
  const pid = readPidFile(pgdata)?.pid;
  server.release();
  const abort = new AbortController();
  const escalation = pause(stopTimeoutMs, undefined, { signal: abort.signal }).then(
    () => pid && sendSignal(pid, 'SIGQUIT'),
    () => undefined,
  );
  await server.ended;
  abort.abort();
  await escalation;
}

function getLogFile(options: PostgresOptions): string {
  return join(options.dataDir, 'server.log');
}
