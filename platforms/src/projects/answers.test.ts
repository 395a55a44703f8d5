/** Responses of Jira, and of proxies in front of it, that the simulator does not send. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Unreachable } from '@portal/kit/problems';
import { Secret } from '@portal/kit/secret';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fetchJiraProjects, type JiraOptions } from './client.ts';
import { JiraBusy } from './read-json.ts';

let server: Server;
let baseUrl: string;
let requests: IncomingMessage[];
let respond: (request: IncomingMessage, response: ServerResponse) => void;
beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request);
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(() => {
  requests = [];
});

const answer =
  (body: unknown, { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {}) =>
  (_: IncomingMessage, response: ServerResponse) =>
    response.writeHead(status, headers).end(JSON.stringify(body));
const read = (options: Partial<JiraOptions> = {}) =>
  fetchJiraProjects({ baseUrl, flavor: 'cloud', user: 'portal', token: new Secret('secret'), ...options });
async function readProblem(options: Partial<JiraOptions> = {}): Promise<Unreachable> {
  const problem: unknown = await read(options).catch((error: unknown) => error);
  if (!(problem instanceof Unreachable)) throw new Error(`expected Unreachable, not ${problem}`);
  return problem;
}

const good = { key: 'GOOD', name: 'Good', projectCategory: { name: 'Health' } };
const other = { key: 'OTHER', name: 'Other' };

describe('a list of projects', () => {
  it.each([
    ['a category that is null', { ...other, projectCategory: null }],
    ['a category without a name', { ...other, projectCategory: { id: '1' } }],
    ['`archived` that is null', { ...other, archived: null }],
  ])('reads null as missing: %s', async (_, project) => {
    respond = answer({ values: [project, good], isLast: true });
    expect(await read()).toEqual([other, good]);
    respond = answer([project, good]);
    expect(await read({ flavor: 'server' })).toEqual([other, good]);
  });

  it.each([[{ key: 'NAMELESS' }], [{ name: 'No key' }], [null], ['text']])('leaves out %j only', async (project) => {
    respond = answer({ values: [good, project], isLast: true });
    expect(await read()).toEqual([good]);
    respond = answer([good, project]);
    expect(await read({ flavor: 'server' })).toEqual([good]);
  });

  it.each([{}, { startAt: 0, total: -1 }, { isLast: null }])(
    'needs nothing but the values of a page: %j',
    async (page) => {
      respond = ({ url = '' }, response) => {
        const values = url.includes('startAt=0') ? [good] : url.includes('startAt=1&') ? [other] : [];
        response.end(JSON.stringify({ ...page, values }));
      };
      expect(await read()).toEqual([good, other]);
    },
  );

  it('ends with a page that has no new project, whatever it says', async () => {
    respond = answer({ startAt: 0, isLast: false, values: [good, other] });
    expect(await read()).toEqual([good, other]);
    expect(requests).toHaveLength(2);
  });

  it('has one limit of time for all pages', async () => {
    let next = 0;
    respond = (_, response) => {
      next += 1;
      response.end(JSON.stringify({ isLast: false, values: [{ key: `P${next}`, name: 'P' }] }));
    };
    const problem = await readProblem({ maxTotalMs: 20 });
    expect(problem.message).toMatch(/did not send all projects within 0\.02 s\.$/);
    expect(problem.status).toBe(504);
  });
});

describe("Jira's own words", () => {
  it.each([401, 403])('names a CAPTCHA that comes with %d', async (status) => {
    const headers = {
      'x-seraph-loginreason': 'AUTHENTICATION_DENIED',
      'x-authentication-denied-reason': 'CAPTCHA_CHALLENGE; login-url=https://jira.example/login.jsp',
    };
    respond = answer({}, { status, headers });
    expect((await readProblem()).message).toContain('CAPTCHA');
  });

  it.each([{ 'x-seraph-loginreason': 'OUT' }, { 'x-ausername': 'anonymous' }, { 'x-ausername': 'Anonymous' }])(
    'does not take an anonymous answer for the list: %j',
    async (headers) => {
      respond = answer({ values: [], isLast: true }, { headers });
      expect((await readProblem()).message).toContain("does not accept the portal's token");
    },
  );

  it('does not suggest the gateway to those who already use it', async () => {
    respond = answer({}, { status: 401 });
    expect((await readProblem()).message).toContain('api.atlassian.com');
    expect((await readProblem({ flavor: 'server' })).message).not.toContain('api.atlassian.com');
  });

  it('waits as long as an unavailable Jira asks for', async () => {
    respond = answer({}, { status: 503, headers: { 'retry-after': '17' } });
    const busy = await readProblem();
    expect(busy).toBeInstanceOf(JiraBusy);
    expect(busy).toMatchObject({ retryAfterSeconds: 17 });
    respond = answer({}, { status: 503 });
    expect((await readProblem()).message).toMatch(/returned status 503\.$/);
  });
});

describe('a redirect', () => {
  it('follows a redirect within the host, with the credentials', async () => {
    respond = (request, response) => {
      if (request.url?.startsWith('/jira/')) answer({ values: [good], isLast: true })(request, response);
      else response.writeHead(301, { location: `/jira${request.url}` }).end();
    };
    expect(await read()).toEqual([good]);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([expect.any(String), expect.any(String)]);
  });

  it('refuses a redirect to another host, and names the host', async () => {
    respond = (_, response) => response.writeHead(302, { location: 'https://u:p@sso.example/login?x=1' }).end();
    const { message } = await readProblem();
    expect(message).toContain('redirects to sso.example (status 302)');
    expect(message).not.toContain('u:p');
    expect(requests).toHaveLength(1);
  });

  it('follows at most five redirects', async () => {
    respond = (request, response) => response.writeHead(302, { location: `${request.url}x` }).end();
    expect((await readProblem()).message).toContain('status 302');
    expect(requests).toHaveLength(6);
  });
});
