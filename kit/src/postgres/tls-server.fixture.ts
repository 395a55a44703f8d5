// cspell:ignore acreateserial extfile keyout paramgen pkeyopt signkey (options of openssl)
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from './launcher.ts';
import { withClient } from './pool.ts';

/** Without it, no certificates can be made, and tests of TLS are skipped. */
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** Paths of PEM files. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

export interface TlsServer {
  /** The authority that issued the server's certificate, which is for `localhost`. */
  readonly authority: CertificateFiles;
  /** An authority that the server does not know. */
  readonly otherAuthority: CertificateFiles;
  /** For more files. */
  readonly folder: string;
  /** The address of a user's database `postgres`, with parameters such as `sslmode=require`. */
  urlFor(parameters?: string, options?: { readonly host?: string; readonly user?: string }): string;
  /** Restarts the server with another certificate. */
  showCertificate(name: 'valid' | 'expired' | 'self-signed'): Promise<void>;
  stop(): Promise<void>;
}

/** Who may connect, and how. */
const accessRules = `
hostssl   all needs_certificate 127.0.0.1/32 cert
hostnossl all needs_plain       127.0.0.1/32 scram-sha-256
hostssl   all postgres,member   127.0.0.1/32 scram-sha-256
`;

/**
 * Starts a PostgreSQL with TLS and an authority of its own. It accepts the superuser and the user
 * `member` with TLS only, `needs_certificate` with a client certificate only, and `needs_plain`
 * without TLS only.
 */
export async function startTlsServer(): Promise<TlsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'portal-tls-'));
  const authority = createCertificate(folder, 'authority');
  createCertificate(folder, 'valid', { subject: 'localhost', issuer: authority });
  createCertificate(folder, 'expired', { subject: 'localhost', issuer: authority, days: -1 });
  createCertificate(folder, 'self-signed', { subject: 'localhost' });
  const server = await startPostgres({ dataDir: join(folder, 'server'), isFast: true });
  const data = join(folder, 'server', 'data');
  const { uid, gid } = statSync(data);

  /** The server reads only files of its own account. */
  function install(name: string, content: string): void {
    const path = join(data, name);
    writeFileSync(path, content, { mode: 0o600 });
    chownSync(path, uid, gid);
  }

  function installCertificate(name: string): void {
    install('server.crt', readFileSync(join(folder, `${name}.crt`), 'utf8'));
    install('server.key', readFileSync(join(folder, `${name}.key`), 'utf8'));
  }

  await withClient({ connectionString: server.url }, async (client) => {
    for (const user of ['member', 'needs_certificate', 'needs_plain'])
      await client.query(`create role ${user} login password '${server.password}'`);
    await client.query('alter system set ssl = on');
    await client.query(`alter system set ssl_ca_file = 'root.crt'`);
  });
  installCertificate('valid');
  install('root.crt', readFileSync(authority.certificate, 'utf8'));
  install('pg_hba.conf', accessRules);
  await server.restart();

  return {
    authority,
    otherAuthority: createCertificate(folder, 'other-authority'),
    folder,
    urlFor(parameters = '', { host = 'localhost', user = server.user } = {}) {
      const url = new URL(server.urlFor('postgres', user));
      return Object.assign(url, { hostname: host, search: parameters }).href;
    },
    async showCertificate(name) {
      installCertificate(name);
      await server.restart();
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

export interface CertificateOptions {
  /** Its common name and, unless it is an authority, its only host name. Default: the file name. */
  readonly subject?: string;
  /** Default: itself. */
  readonly issuer?: CertificateFiles;
  /** How long it is valid; -1 for one that expired yesterday. */
  readonly days?: number;
}

/** Creates a certificate with its key as `NAME.crt` and `NAME.key`. */
export function createCertificate(
  folder: string,
  name: string,
  { subject = name, issuer, days = 2 }: CertificateOptions = {},
): CertificateFiles {
  const toPath = (type: string) => join(folder, `${name}.${type}`);
  const [certificate, key, request] = [toPath('crt'), toPath('key'), toPath('csr')];
  const extensions = toPath('ext');
  writeFileSync(extensions, issuer ? `subjectAltName=DNS:${subject}` : 'basicConstraints=critical,CA:true');
  const openssl = (...options: string[]) => execFileSync('openssl', options, { stdio: ['ignore', 'ignore', 'pipe'] });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key];
  openssl('req', '-new', ...newKey, '-out', request, '-subj', `/CN=${subject}`);
  const signer = issuer ? ['-CA', issuer.certificate, '-CAkey', issuer.key, '-CAcreateserial'] : ['-signkey', key];
  openssl('x509', '-req', '-in', request, ...signer, '-days', `${days}`, '-extfile', extensions, '-out', certificate);
  return { certificate, key };
}
