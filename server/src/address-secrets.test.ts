/**
 * What the portal shows and logs of its configured addresses, while the systems behind them fail.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getApps } from '@portal/contract/apps';
import { getAttention } from '@portal/contract/attention';
import { getStats } from '@portal/contract/db-spy';
import { getDeploymentTeams } from '@portal/contract/deployments';
import { getDevClient } from '@portal/contract/dev-client';
import { getReadiness, receiveWebhook } from '@portal/contract/operations';
import { pingDatabase } from '@portal/contract/schema-access';
import { getOnCall, getRoster } from '@portal/contract/support-roster';
import { getSyncBase } from '@portal/contract/sync/base';
import { listIntegrations } from '@portal/contract/sync/integration';
import { webhookSignatureHeader } from '@portal/contract/sync/webhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SmallWorld, startSmallWorld } from './testing/small-world.ts';
import { startTestServer } from './testing/test-server.ts';

const secret = `secret-${randomBytes(8).toString('hex')}`;
const encoded = btoa(`reader:${secret}`);

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** Everything that a careless server repeats of a request. */
const repeat = ({ url, headers }: IncomingMessage) => `https://reader:${secret}@host${url} ${JSON.stringify(headers)}`;

const failures: Readonly<Record<string, Respond>> = {
  'close each connection': ({ socket }) => socket.destroy(),
  'answer with an error that repeats the request': (request, response) =>
    response.writeHead(500, { 'content-type': 'text/plain' }).end(repeat(request)),
  'reject the credentials and repeat the request': (request, response) => response.writeHead(401).end(repeat(request)),
  'redirect to an address with credentials': (request, response) =>
    response.writeHead(302, { location: `https://reader:${secret}@elsewhere.example${request.url}` }).end(),
  'answer with a web page that repeats the request': (request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><p>${repeat(request)}`),
};

let world: SmallWorld;
let hostile: Server;
let address: string;
let respond: Respond;

beforeAll(async () => {
  world = await startSmallWorld();
  hostile = createServer((request, response) => respond(request, response));
  await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve));
  address = `127.0.0.1:${(hostile.address() as AddressInfo).port}`;
});
afterAll(async () => {
  hostile.closeAllConnections();
  hostile.close();
  await world.stop();
});

/** Starts a portal that reaches nothing but the platform that its users sign in to. */
function startServer() {
  const url = `http://${address}`;
  return startTestServer({
    logLevel: 'trace',
    environments: [
      {
        name: 'Production',
        baseUrl: world.baseUrl,
        dataSources: [
          ...world.helium.dataSources.map((source) => ({
            ...source,
            // Port 1 refuses connections.
            url: `postgresql://reader:${secret}@127.0.0.1:1/helium`,
          })),
        ],
      },
      { name: 'Hostile', baseUrl: url },
    ],
    sync: { url, token: secret },
    deployments: { jira: { baseUrl: url, user: 'reader', token: secret } },
    devClient: {
      metadataUrl: `http://reader:${secret}@${address}/maven-metadata.xml`,
      clientUrl: `${url}/{version}/client.jar`,
      noUiClientUrl: `${url}/{version}/no-ui.jar`,
      installCommand: 'he-install {version}',
    },
    supportRoster: {
      teams: [
        { name: 'Health', calendar: `http://reader:${secret}@${address}/private-${secret}/basic.ics?token=${secret}` },
        { name: 'Stock', pagerDutySchedule: 'P1' },
      ],
      pagerDuty: { baseUrl: url, token: secret },
    },
  });
}

describe.each(Object.entries(failures))('when all other systems %s', (_, failure) => {
  it('no response and no line of the most detailed log has a secret of their addresses', async () => {
    respond = failure;
    const server = await startServer();
    const texts: string[] = [];
    const dataSource = world.helium.dataSources[0]?.heliumDataSourceName ?? '';
    try {
      const client = await server.signIn('demo', 'demo', world.baseUrl);
      const keep = async (response: Promise<{ status: number; text: string; headers: Headers }>) => {
        const { status, text, headers } = await response;
        texts.push(text, ...[...headers].flat());
        return { status, text };
      };
      const hostileEnvironment = {
        credentials: { userName: 'reader', password: secret },
        baseUrl: `http://${address}`,
      };
      const shown = [
        await keep(client.attempt(getOnCall, {})),
        await keep(client.attempt(getRoster, { team: 'Health', startDate: '2026-01-01', endDate: '2026-02-01' })),
        await keep(client.attempt(getRoster, { team: 'Stock', startDate: '2026-01-01', endDate: '2026-02-01' })),
        await keep(client.attempt(getDeploymentTeams, undefined)),
        await keep(client.attempt(getDevClient, undefined)),
        await keep(client.attempt(getStats, { dataSource })),
        await keep(client.attempt(pingDatabase, { environment: 'Production', dataSource })),
        await keep(client.attempt(getAttention, undefined)),
        await keep(client.send('POST', `${getSyncBase('Production')}${listIntegrations.path}`, '{}')),
        await keep(client.send('GET', getReadiness.path)),
        await keep(
          client.send('POST', receiveWebhook.path.replace(':address', secret), '{}', {
            [webhookSignatureHeader]: secret,
          }),
        ),
        await keep(server.client().attempt(getApps, hostileEnvironment)),
      ];
      // The search covers what each of them reports.
      const [onCall, health, stock, teams, devClient, stats] = shown;
      expect([health, stock, teams, devClient, stats].map((each) => each?.status)).toEqual([502, 502, 502, 502, 502]);
      expect(onCall?.text).toContain('The calendar of Health');
      expect(onCall?.text).toContain("PagerDuty's schedule of Stock");
    } finally {
      await server.stop();
    }
    const logged = server.logged();
    expect(logged).toContain('could not read the support roster');
    expect(logged).toContain('could not read teams and projects from Jira');
    for (const text of [...texts, logged]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(encoded);
      expect(text).not.toContain('basic.ics');
    }
  });
});
