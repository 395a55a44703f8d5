import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { findFreePort } from '../ports.ts';
import { getServerAccount } from './os-account.ts';

const folders = ['/usr/sbin', '/usr/local/sbin', ...(process.env.PATH ?? '').split(delimiter)];
const program = folders.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path));

/** Without it, tests of poolers are skipped. `npm run postgres-versions` installs it. */
export const hasPgbouncer = program !== undefined && spawnSync(program, ['--version']).status === 0;

export interface Pgbouncer {
  /** Returns the address of the same database and user through the pooler. */
  toPooled(address: string): string;
  stop(): Promise<void>;
}

type PoolMode = 'session' | 'transaction';

/**
 * Starts a pgbouncer in transaction mode, with its defaults for everything else, in front of one
 * server. It stops with this process.
 *
 * @param addresses of the server; each user that connects must have one
 */
export function startPgbouncer(...addresses: readonly string[]): Promise<Pgbouncer> {
  return start('transaction', addresses);
}

/**
 * Starts one that looks up all other users in the server, such as the logins of apps.
 *
 * @param address of a user who may read all passwords
 */
export function startPgbouncerForAll(address: string): Promise<Pgbouncer> {
  return start('transaction', [address], { looksUp: true });
}

/** Starts one that gives each client a session of its own for as long as it is connected. */
export function startSessionPgbouncer(...addresses: readonly string[]): Promise<Pgbouncer> {
  return start('session', addresses);
}

async function start(poolMode: PoolMode, addresses: readonly string[], { looksUp = false } = {}): Promise<Pgbouncer> {
  if (program === undefined) throw new Error('pgbouncer is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'portal-pgbouncer-'));
  // It refuses to run as root.
  const account = getServerAccount(join(folder, 'none'));
  const port = await findFreePort();
  const files = { users: join(folder, 'users.txt'), settings: join(folder, 'pgbouncer.ini') };
  writeFileSync(files.users, toUserList(addresses));
  writeFileSync(
    files.settings,
    toSettings({ server: new URL(addresses[0] ?? ''), port, userFile: files.users, poolMode, looksUp }),
  );
  if (account) for (const path of [folder, ...Object.values(files)]) chownSync(path, account.uid, account.gid);

  const child = spawn(program, [files.settings], { ...account, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
  const stopWithProcess = () => child.kill('SIGKILL');
  process.once('exit', stopWithProcess);
  const exited = once(child, 'exit');
  const lines: string[] = [];
  await new Promise<void>((resolve, reject) => {
    createInterface(child.stderr).on('line', (line) => {
      lines.push(line);
      if (line.includes('process up')) resolve();
    });
    void exited.then(() => reject(new Error(`pgbouncer did not start: ${lines.join('\n')}`)));
  });
  return {
    toPooled: (address) => Object.assign(new URL(address), { hostname: '127.0.0.1', port: `${port}` }).href,
    async stop() {
      process.off('exit', stopWithProcess);
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}

function toUserList(addresses: readonly string[]): string {
  const quote = (word: string) => `"${decodeURIComponent(word).replaceAll('"', '""')}"`;
  return addresses
    .map((address) => new URL(address))
    .map(({ username, password }) => `${quote(username)} ${quote(password)}\n`)
    .join('');
}

interface PoolerSettings {
  readonly server: URL;
  readonly port: number;
  readonly userFile: string;
  readonly poolMode: PoolMode;
  readonly looksUp: boolean;
}

function toSettings({ server, port, userFile, poolMode, looksUp }: PoolerSettings): string {
  return `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${userFile}
pool_mode = ${poolMode}
${looksUp ? `auth_user = ${decodeURIComponent(server.username)}\n` : ''}`;
}
