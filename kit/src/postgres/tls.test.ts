// cspell:ignore passout topk (options of openssl)
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { describeStartError } from '../describe-start-error.ts';
import { cancelStatement } from './cancel-statement.ts';
import { findTlsProblems, toClientConfig } from './database-address.ts';
import { migrate } from './migrate.ts';
import { createPool, isOutage, withClient } from './pool.ts';
import { readKey } from './session.ts';
import { getTestPostgresUrl } from './test-database.ts';
import { explainTlsFailure } from './tls-failure.ts';
import {
  type CertificateFiles,
  createCertificate,
  hasOpenssl,
  startTlsServer,
  type TlsServer,
} from './tls-server.fixture.ts';

/** Returns how the connection is made, or why it is not. */
async function connect(url: string): Promise<string> {
  const pool = createPool(url, { applicationName: 'TLS test', max: 1 });
  try {
    const { rows } = await pool.query<{ version: string | null }>(
      'select version from pg_stat_ssl where pid = pg_backend_pid()',
    );
    return rows[0]?.version ?? 'without TLS';
  } catch (error) {
    return explainTlsFailure(error) ?? String(error);
  } finally {
    await pool.end();
  }
}

describe.skipIf(!hasOpenssl)('a server that insists on TLS, with a private authority', () => {
  let server: TlsServer;
  let user: CertificateFiles;
  let otherUser: CertificateFiles;
  let stranger: CertificateFiles;

  beforeAll(async () => {
    server = await startTlsServer();
    const create = (name: string, issuer: CertificateFiles, subject = name) =>
      createCertificate(server.folder, name, { subject, issuer });
    user = create('needs_certificate', server.authority);
    otherUser = create('other_user', server.authority);
    stranger = create('stranger', server.otherAuthority, 'needs_certificate');
  });
  afterAll(() => server.stop());

  /** Replaces CA and OTHER by the paths of the authorities. */
  const fill = (parameters: string) =>
    parameters.replace('CA', server.authority.certificate).replace('OTHER', server.otherAuthority.certificate);

  const insists = 'insists on TLS; add sslmode=verify-full to its address';
  const unknownAuthority =
    'shows a certificate of an unknown authority; name the file of its authority with sslrootcert= in the address';
  const wrongName =
    'shows a certificate that is for localhost, and its address says 127.0.0.1; use a name of the certificate in the address, or set sslmode=verify-ca with sslrootcert=';

  it.each([
    ['localhost', '', insists],
    ['localhost', 'sslmode=disable', insists],
    ['localhost', 'ssl=false', insists],
    ['localhost', 'sslmode=allow', 'TLSv1.3'],
    ['localhost', 'sslmode=prefer', 'TLSv1.3'],
    ['localhost', 'sslmode=require', 'TLSv1.3'],
    ['localhost', 'sslmode=no-verify', 'TLSv1.3'],
    ['localhost', 'sslmode=require&uselibpqcompat=true', 'TLSv1.3'],
    ['localhost', 'sslmode=require&sslrootcert=CA', 'TLSv1.3'],
    ['127.0.0.1', 'sslmode=require&sslrootcert=CA', 'TLSv1.3'],
    ['localhost', 'sslmode=require&sslrootcert=OTHER', unknownAuthority],
    ['127.0.0.1', 'sslmode=verify-ca&sslrootcert=CA', 'TLSv1.3'],
    ['localhost', 'sslmode=verify-ca&sslrootcert=OTHER', unknownAuthority],
    ['localhost', 'sslmode=verify-full&sslrootcert=CA', 'TLSv1.3'],
    ['localhost', 'sslrootcert=CA', 'TLSv1.3'],
    ['127.0.0.1', 'sslmode=verify-full&sslrootcert=CA', wrongName],
    ['localhost', 'sslmode=verify-full&sslrootcert=OTHER', unknownAuthority],
    ['localhost', 'sslmode=verify-full', unknownAuthority],
    ['localhost', 'sslmode=verify-full&sslrootcert=system', unknownAuthority],
    ['localhost', 'ssl=true', unknownAuthority],
  ])('answers an address at %s with "%s": %s', async (host, parameters, answer) => {
    expect(await connect(server.urlFor(fill(parameters), { host }))).toBe(answer);
  });

  it('asks a user for its certificate, and accepts only its own', async () => {
    const connectAs = (more: string) => connect(server.urlFor(`sslmode=require${more}`, { user: 'needs_certificate' }));
    const connectWith = ({ certificate, key }: CertificateFiles) => connectAs(`&sslcert=${certificate}&sslkey=${key}`);
    expect(await connectAs('')).toBe(
      'requires a client certificate; name its files with sslcert= and sslkey= in the address',
    );
    expect(await connectWith(user)).toBe('TLSv1.3');
    expect(await connectWith(otherUser)).toBe(
      'accepts the client certificate of sslcert= for another user only; its common name must be the user name',
    );
    expect(await connectWith(stranger)).toBe(
      'rejects the client certificate of sslcert= (tlsv1 alert unknown ca); name one that its ssl_ca_file trusts',
    );
  });

  it.each(['require', 'prefer'])('receives the cancellation of a statement with sslmode=%s', async (mode) => {
    const url = server.urlFor(`sslmode=${mode}`);
    await withClient(toClientConfig(url), async (client) => {
      const canceled = client.query('select pg_sleep(60)').catch((error: unknown) => error);
      const key = readKey(client) ?? expect.fail('no key');
      await withClient(toClientConfig(url), async (observer) => {
        const running = `select from pg_stat_activity where pid = $1 and wait_event = 'PgSleep'`;
        const isRunning = async () => (await observer.query(running, [key.processId])).rowCount === 1;
        await vi.waitUntil(isRunning, { timeout: 100_000 });
      });
      await cancelStatement(toClientConfig(url), key);
      expect(await canceled).toMatchObject({ code: '57014' });
    });
  });

  it('reports a user that it accepts without TLS only', async () => {
    expect(await connect(server.urlFor('sslmode=disable', { user: 'needs_plain' }))).toBe('without TLS');
    expect(await connect(server.urlFor('sslmode=require', { user: 'needs_plain' }))).toMatch(
      /^accepts this user from here only without TLS, or not at all; change its pg_hba.conf/,
    );
  });

  it('is named in the sentence of a service that cannot start', async () => {
    const service = { name: 'server', databaseUser: 'the portal', portVariable: 'PORT' };
    const failure = await migrate(server.urlFor(), server.folder).catch((error: unknown) => error);
    expect(describeStartError(failure, service)).toBe(`The portal's database ${insists}.`);
  });

  it('a wrong password is no failure of TLS', async () => {
    const url = Object.assign(new URL(server.urlFor('sslmode=require')), { password: 'wrong' }).href;
    expect(await connect(url)).toMatch('password authentication failed');
  });

  it('shows certificates that are read again for each connection', async () => {
    const copy = join(server.folder, 'renewed.pem');
    writeFileSync(copy, readFileSync(server.otherAuthority.certificate));
    const pool = createPool(server.urlFor(`sslmode=verify-full&sslrootcert=${copy}`), { applicationName: 'TLS test' });
    await expect(pool.query('select')).rejects.toSatisfy(isOutage);
    writeFileSync(copy, readFileSync(server.authority.certificate));
    await pool.query('select');
    rmSync(copy);
    await Promise.all([pool.query('select pg_sleep(0.01)'), pool.query('select pg_sleep(0.01)')]);
    await pool.end();
  });

  it('reports an expired and a self-signed certificate', async () => {
    const url = server.urlFor(fill('sslmode=verify-full&sslrootcert=CA'));
    await server.showCertificate('expired');
    expect(await connect(url)).toBe(
      'shows a certificate that has expired, or whose authority has; renew it on the server',
    );
    await server.showCertificate('self-signed');
    expect(await connect(url)).toBe(unknownAuthority);
    await server.showCertificate('valid');
    expect(await connect(url)).toBe('TLSv1.3');
  });

  it('files that cannot be used are reported before the first connection', () => {
    const { folder, authority } = server;
    const write = (name: string, content: string) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const find = (parameters: string) => findTlsProblems(server.urlFor(parameters));
    const empty = write('empty.pem', 'nothing');
    const encrypted = join(folder, 'encrypted.key');
    execFileSync('openssl', ['pkcs8', '-topk8', '-in', user.key, '-out', encrypted, '-passout', 'pass:secret']);
    const withKey = (key: string, more = '') =>
      find(`sslmode=require&sslcert=${user.certificate}&sslkey=${key}${more}`);
    expect(find(`sslrootcert=${authority.certificate}`)).toEqual([]);
    expect(find('sslrootcert=/nowhere/ca.pem')).toEqual(['sslrootcert: the file /nowhere/ca.pem does not exist']);
    expect(find(`sslrootcert=${empty}`)).toEqual([`sslrootcert: ${empty} contains no certificate in PEM format`]);
    expect(withKey(user.key)).toEqual([]);
    expect(withKey(empty)).toEqual([`sslkey: ${empty} contains no key in PEM format`]);
    expect(withKey(otherUser.key)).toEqual([
      `sslkey: ${otherUser.key} is not the key of the certificate in ${user.certificate}`,
    ]);
    expect(withKey(encrypted, '&sslpassword=secret')).toEqual([]);
    expect(withKey(encrypted)).toEqual([`sslkey: ${encrypted} is encrypted; set sslpassword to its password`]);
    expect(withKey(encrypted, '&sslpassword=wrong')).toEqual([
      `sslkey: ${encrypted} is encrypted; set sslpassword to its password`,
    ]);
  });
});

describe('a server without TLS', () => {
  const connectWith = (parameters: string) =>
    connect(Object.assign(new URL(getTestPostgresUrl()), { search: parameters }).href);

  it('is used without TLS unless the address requires it', async () => {
    expect(await connectWith('')).toBe('without TLS');
    expect(await connectWith('sslmode=disable')).toBe('without TLS');
    expect(await connectWith('sslmode=allow')).toBe('without TLS');
    expect(await connectWith('sslmode=prefer')).toBe('without TLS');
    const noTls = 'offers no TLS; switch it on there, or set sslmode=disable in its address';
    expect(await connectWith('sslmode=require')).toBe(noTls);
    expect(await connectWith('sslmode=verify-full')).toBe(noTls);
  });

  it('is distinguished from a port that is not PostgreSQL', async () => {
    const other = createServer((socket) => socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    for (const mode of ['prefer', 'require'])
      expect(await connect(`postgres://portal@127.0.0.1:${port}/portal?sslmode=${mode}`)).toBe(
        'did not answer the request for TLS as PostgreSQL does; check the host and port of its address',
      );
    await new Promise((resolve) => other.close(resolve));
  });
});

it.each([
  ['sslmode=verify', ['sslmode=verify is not one of disable, allow, prefer, require, verify-ca, verify-full']],
  ['ssl=maybe', ['ssl=maybe is not one of 0, 1, true, false, no-verify']],
  [
    'sslmode=verify-ca',
    ['sslmode=verify-ca requires sslrootcert; name the file with the certificate of your authority'],
  ],
  [
    'sslmode=require&sslrootcert=system',
    ['sslrootcert=system requires sslmode=verify-full, because anyone can obtain a public certificate'],
  ],
  [
    'sslmode=prefer&sslrootcert=system',
    [
      'sslmode=prefer does not check the certificate against sslrootcert; set sslmode=verify-full',
      'sslrootcert=system requires sslmode=verify-full, because anyone can obtain a public certificate',
    ],
  ],
  [
    'sslmode=require&sslcrl=/crl.pem',
    [
      'sslcrl is not supported; the TLS settings are sslmode, sslrootcert, sslcert, sslkey, sslpassword, sslnegotiation',
    ],
  ],
  [
    'sslmode=prefer&sslnegotiation=direct',
    ['sslnegotiation=direct requires TLS, which sslmode=prefer does not; set sslmode=verify-full'],
  ],
  ['sslmode=require&sslnegotiation=later', ['sslnegotiation=later is not one of postgres, direct']],
  ['sslmode=verify-full', []],
  ['sslmode=require&sslnegotiation=direct', []],
  ['application_name=portal', []],
])('finds the problems of an address with %s', (parameters, problems) => {
  expect(findTlsProblems(`postgres://portal@db.example.com/portal?${parameters}`)).toEqual(problems);
});

it('rejects half of a client certificate and names the other half', () => {
  const find = (parameters: string) => findTlsProblems(`postgres://portal@db/portal?sslmode=require&${parameters}`);
  expect(find('sslcert=/nowhere.crt')).toContain(
    'sslcert requires sslkey; name the file with the key of the certificate',
  );
  expect(find('sslkey=/nowhere.key')).toContain(
    'sslkey requires sslcert; name the file with the certificate of the key',
  );
});
