/**
 * Reads the TLS settings of PostgreSQL addresses:
 * `?sslmode=verify-full&sslrootcert=/etc/portal/ca.pem`. The words are those of libpq, as in every
 * PostgreSQL document. The driver's own reading of them differs, and changes with its next major
 * version.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import type pg from 'pg';
import { describeReadError } from '../config.ts';
import { Unreachable } from '../problems.ts';
import { pooledParameter } from './pooled-setting.ts';
import { PreferredTls } from './preferred-tls.ts';

/** libpq's modes, and the driver's `no-verify`. */
const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'] as const;
type Mode = (typeof modes)[number];

/** The driver's own parameter besides libpq's, and its values. */
const modesOfSsl: Readonly<Record<string, Mode>> = {
  true: 'verify-full',
  1: 'verify-full',
  false: 'disable',
  0: 'disable',
  'no-verify': 'no-verify',
};

const settings = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslpassword', 'sslnegotiation'] as const;
type Setting = (typeof settings)[number];

const fileSettings = ['sslrootcert', 'sslcert', 'sslkey'] as const;

/**
 * Parameters that the driver does not read. `uselibpqcompat` asks it for what is always so here.
 */
const knownParameters: readonly string[] = [...settings, 'ssl', 'uselibpqcompat', pooledParameter];

/** The value of `sslrootcert` for the authorities that Node.js trusts. */
const systemAuthorities = 'system';

interface TlsSettings extends Readonly<Partial<Record<Setting, string>>> {
  readonly mode: Mode;
}

/**
 * Returns what is wrong with the TLS settings of a valid address, with the remedy: settings that
 * contradict each other, and files that cannot be used. Expired certificates are not reported,
 * because their server may be one of many.
 */
export function findTlsProblems(address: string): string[] {
  const parameters = new URL(address).searchParams;
  const problems = [...parameters.keys()]
    .filter((name) => name.startsWith('ssl') && !knownParameters.includes(name))
    .map((name) => `${name} is not supported; the TLS settings are ${settings.join(', ')}`);
  const mode = readMode(parameters);
  if (mode === undefined) {
    const name = ['sslmode', 'ssl'].find((each) => parameters.has(each)) ?? 'PGSSLMODE';
    const words = name === 'ssl' ? Object.keys(modesOfSsl) : modes.slice(0, -1);
    return [...problems, `${name}=${parameters.get(name) ?? process.env.PGSSLMODE} is not one of ${words.join(', ')}`];
  }
  const tls = readSettings(parameters, mode);
  return [...problems, ...findContradictions(tls), ...findFileProblems(tls)];
}

/**
 * Returns the driver's configuration for an address. Certificate files are read again for each
 * connection, so that they can be renewed while the process runs. Throws Unreachable if one of them
 * cannot be read.
 */
export function toClientConfig(address: string): pg.ClientConfig {
  const url = new URL(address);
  const mode = readMode(url.searchParams);
  if (mode === undefined)
    throw new Unreachable(`The address of a database has a problem: ${findTlsProblems(address)}.`);
  const tls = readSettings(url.searchParams, mode);
  // The driver would read the files itself, and each of these parameters overrides its other
  // options.
  const isPlain = !knownParameters.some((name) => url.searchParams.has(name));
  for (const name of knownParameters) url.searchParams.delete(name);
  const connectionString = isPlain ? address : url.href;
  if (mode === 'disable') return { connectionString, ssl: false };
  const options = toTlsOptions(tls);
  if (mode === 'allow' || mode === 'prefer')
    return { connectionString, ssl: false, stream: () => new PreferredTls(options) };
  return { connectionString, ssl: options, ...(tls.sslnegotiation === 'direct' && { sslnegotiation: 'direct' }) };
}

/** Returns undefined for a mode that does not exist. */
function readMode(parameters: URLSearchParams): Mode | undefined {
  const written = parameters.get('sslmode') ?? undefined;
  if (written === undefined && parameters.has('ssl')) return modesOfSsl[parameters.get('ssl') ?? ''];
  // Files without a mode are meant to be used; libpq would prefer TLS and accept none.
  const preset = fileSettings.some((name) => parameters.has(name)) ? 'verify-full' : process.env.PGSSLMODE || 'disable';
  return modes.find((mode) => mode === (written ?? preset));
}

function readSettings(parameters: URLSearchParams, mode: Mode): TlsSettings {
  const given = settings.flatMap((name) => {
    const value = parameters.get(name);
    return value ? [[name, value]] : [];
  });
  return { mode, ...Object.fromEntries(given) };
}

function findContradictions({ mode, sslrootcert, sslcert, sslkey, sslnegotiation }: TlsSettings): string[] {
  const problems: string[] = [];
  if (sslrootcert !== undefined && ['disable', 'allow', 'prefer', 'no-verify'].includes(mode))
    problems.push(`sslmode=${mode} does not check the certificate against sslrootcert; set sslmode=verify-full`);
  if (sslrootcert === systemAuthorities && mode !== 'verify-full')
    problems.push('sslrootcert=system requires sslmode=verify-full, because anyone can obtain a public certificate');
  if (mode === 'verify-ca' && sslrootcert === undefined)
    problems.push('sslmode=verify-ca requires sslrootcert; name the file with the certificate of your authority');
  if (sslcert !== undefined && sslkey === undefined)
    problems.push('sslcert requires sslkey; name the file with the key of the certificate');
  if (sslkey !== undefined && sslcert === undefined)
    problems.push('sslkey requires sslcert; name the file with the certificate of the key');
  if (sslcert !== undefined && mode === 'disable')
    problems.push('sslmode=disable sends no certificate; remove sslcert');
  if (sslnegotiation !== undefined && !['postgres', 'direct'].includes(sslnegotiation))
    problems.push(`sslnegotiation=${sslnegotiation} is not one of postgres, direct`);
  if (sslnegotiation === 'direct' && ['disable', 'allow', 'prefer'].includes(mode))
    problems.push(`sslnegotiation=direct requires TLS, which sslmode=${mode} does not; set sslmode=verify-full`);
  return problems;
}

function findFileProblems({ sslrootcert, sslcert, sslkey, sslpassword }: TlsSettings): string[] {
  const problems: string[] = [];
  function read<T>(name: Setting, path: string | undefined, parse: (content: Buffer) => T): T | undefined {
    if (path === undefined) return undefined;
    let content: Buffer;
    try {
      content = readFileSync(path);
    } catch (error) {
      problems.push(`${name}: ${describeReadError(error)}`);
      return undefined;
    }
    try {
      return parse(content);
    } catch {
      problems.push(`${name}: ${path} contains no ${name === 'sslkey' ? 'key' : 'certificate'} in PEM format`);
      return undefined;
    }
  }
  const parseCertificate = (content: Buffer) => {
    if (!content.includes('-----BEGIN')) throw new Error('not PEM');
    return new X509Certificate(content);
  };
  const parseKey = (key: Buffer): KeyObject | undefined => {
    try {
      return createPrivateKey({ key, ...(sslpassword !== undefined && { passphrase: sslpassword }) });
    } catch (error) {
      if (!key.includes('ENCRYPTED')) throw error;
      problems.push(`sslkey: ${sslkey} is encrypted; set sslpassword to its password`);
      return undefined;
    }
  };
  if (sslrootcert !== systemAuthorities) read('sslrootcert', sslrootcert, parseCertificate);
  const certificate = read('sslcert', sslcert, parseCertificate);
  const key = read('sslkey', sslkey, parseKey);
  if (certificate && key && !certificate.checkPrivateKey(key))
    problems.push(`sslkey: ${sslkey} is not the key of the certificate in ${sslcert}`);
  return problems;
}

function toTlsOptions({ mode, sslrootcert, sslcert, sslkey, sslpassword }: TlsSettings): ConnectionOptions {
  const isAuthorityChecked = mode.startsWith('verify-') || (mode === 'require' && sslrootcert !== undefined);
  const options: ConnectionOptions = {
    rejectUnauthorized: isAuthorityChecked,
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
    ...(sslpassword !== undefined && { passphrase: sslpassword }),
  };
  const files = { ca: sslrootcert === systemAuthorities ? undefined : sslrootcert, cert: sslcert, key: sslkey };
  for (const [name, path] of Object.entries(files)) {
    if (path === undefined) continue;
    Object.defineProperty(options, name, { get: followFile(path), enumerable: true, configurable: true });
  }
  return options;
}

/** Returns a function that reads the file, or returns the last content while it cannot be read. */
function followFile(path: string): () => string {
  const read = () => readFileSync(path, 'utf8');
  let content: string;
  try {
    content = read();
  } catch (error) {
    throw new Unreachable(`The address of a database has a problem: ${describeReadError(error)}.`, { cause: error });
  }
  return () => {
    try {
      content = read();
    } catch {
      // While it is replaced; the driver would end the process.
    }
    return content;
  };
}
