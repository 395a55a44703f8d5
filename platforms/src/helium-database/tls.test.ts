import { hasOpenssl, startTlsServer, type TlsServer } from '@portal/kit/postgres/tls-server.fixture';
import { Unreachable } from '@portal/kit/problems';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHeliumDatabase } from './database.ts';

describe.skipIf(!hasOpenssl)('a data source that insists on TLS', () => {
  let server: TlsServer;
  beforeAll(async () => {
    server = await startTlsServer();
  });
  afterAll(() => server.stop());

  /** Returns the problem of a query and that of a transaction, or their results. */
  async function use(url: string): Promise<unknown[]> {
    const database = openHeliumDatabase({ name: 'helium-app-1', url });
    const uses = [
      database.query('select 1 as one'),
      database.transaction({ readOnly: true }, (transaction) => transaction.query('select 1 as one')),
    ];
    const results = await Promise.all(uses.map((result) => result.catch((error: unknown) => error)));
    await database.close();
    return results;
  }

  it('is read and changed when its address has the settings', async () => {
    const rows = [{ one: 1 }];
    const url = server.urlFor(`sslmode=verify-full&sslrootcert=${server.authority.certificate}`);
    expect(await use(url)).toEqual([rows, rows]);
  });

  it.each([
    ['', 'insists on TLS; add sslmode=verify-full to its address'],
    [
      'sslmode=verify-full',
      'shows a certificate of an unknown authority; name the file of its authority with sslrootcert= in the address',
    ],
  ])('reports the cause with the address ?%s', async (parameters, reason) => {
    const problems = await use(server.urlFor(parameters));
    for (const problem of problems) expect(problem).toBeInstanceOf(Unreachable);
    const sentence = `The data source helium-app-1 ${reason}.`;
    expect(problems).toMatchObject([{ message: sentence }, { message: sentence }]);
  });

  it('a wrong password is reported as such, also by a transaction', async () => {
    const url = Object.assign(new URL(server.urlFor('sslmode=require')), { password: 'wrong' }).href;
    const sentence = 'The data source helium-app-1 rejects the configured user or password.';
    expect(await use(url)).toMatchObject([{ message: sentence }, { message: sentence }]);
  });
});
