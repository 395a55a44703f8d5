import type { Endpoint } from '@portal/contract/endpoint';
import { endpoints } from '@portal/contract/endpoints';
import { logSocket } from '@portal/contract/logs';
import { getSyncSocketPaths, syncBases, withBase } from '@portal/contract/sync/base';
import { syncEndpoints } from '@portal/contract/sync/endpoints';
import type { FastifyInstance } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { startTestServer } from '../testing/test-server.ts';

/** Returns 'GET /path' for every route. The listing indents a path below its start. */
function listServed(app: FastifyInstance): string[] {
  const starts: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = line.match(/^([│ ]*)[├└]── (\S+) \((.*)\)/) ?? [];
      starts.splice(indent.length / 4, starts.length, part);
      const path = starts.join('');
      // A HEAD is a GET whose body is not sent.
      return methods.split(', ').flatMap((method) => (['', 'HEAD'].includes(method) ? [] : [`${method} ${path}`]));
    });
}

it('declares everything that the server serves in the contract, except the page of the API', async () => {
  const server = await startTestServer({ environments: [{ name: 'Production', baseUrl: 'http://127.0.0.1:1' }] });
  onTestFinished(() => server.stop());
  const calls: readonly Endpoint[] = [
    ...endpoints,
    ...syncBases.flatMap((base) => syncEndpoints.map((each) => withBase(base, each))),
  ];
  const sockets = [...logSocket.paths, ...syncBases.flatMap(getSyncSocketPaths)];
  const declared = [
    ...calls.map(({ method, path }) => `${method} ${path.replace(/\/$/, '')}`),
    ...sockets.map((path) => `GET ${path}`),
  ];
  const served = listServed(server.app).filter((name) => !name.startsWith('GET /api-docs'));
  expect(served.length).toBeGreaterThan(100);
  expect(served.filter((name) => !declared.includes(name))).toEqual([]);
});
