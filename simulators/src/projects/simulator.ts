/**
 * Simulates Jira, cloud or self-hosted, with the calls about projects that a stock client makes. It
 * does not depend on the portal. `faults` breaks responses as in all simulators.
 */

import type { JiraProject } from '@portal/platforms/projects/wire';
import { type Faults, faultModes } from '../kit/faults.ts';
import { createHttpServer, getPath, listen } from '../kit/http-server.ts';
import { plainTextErrors } from '../kit/plain-text-errors.ts';
import { createProjectRoutes } from './project-routes.ts';

interface JiraSimulatorOptions {
  readonly flavor: 'cloud' | 'server';
  readonly projects: readonly JiraProject[];
  readonly token: string;
  /** For the cloud. */
  readonly user?: string;
  /** The maximum page size of the cloud, whatever the request asks for. Default: 50. */
  readonly pageSize?: number;
  /** Default: a free port. */
  readonly port?: number;
}

export interface JiraSimulator {
  readonly baseUrl: string;
  readonly faults: Faults;
  /** Replaces the projects. */
  setProjects(projects: readonly JiraProject[]): void;
  /** Responds with 429 and this Retry-After; null ends it. */
  setBusy(retryAfter: string | null): void;
  /** The number of requests received. */
  requestCount(): number;
  stop(): Promise<void>;
}

/** Throws when the port is in use. */
export async function startJiraSimulator(options: JiraSimulatorOptions): Promise<JiraSimulator> {
  const { flavor, user, token, pageSize = 50, port = 0 } = options;
  let { projects } = options;
  let busy: string | null = null;
  let requestCount = 0;
  const { server, faults } = createHttpServer({ modes: faultModes, errors: plainTextErrors });
  const authorization =
    user === undefined ? `Bearer ${token}` : `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`;

  server.addHook('preHandler', async (request, reply) => {
    requestCount += 1;
    if (busy !== null)
      return reply
        .code(429)
        .header('retry-after', busy)
        .send({ errorMessages: ['Rate limit exceeded'] });
    const isSignedIn = request.headers.authorization === authorization;
    if (isSignedIn || getPath(request).endsWith('/serverInfo')) return undefined;
    if (flavor === 'server') return reply.code(401).send({ errorMessages: ['You are not authenticated.'], errors: {} });
    // The cloud returns public data, which is empty here, and reports the reason in a header.
    const nothing = { startAt: 0, total: 0, isLast: true, values: [] };
    return reply.header('x-seraph-loginreason', 'AUTHENTICATED_FAILED').send(nothing);
  });

  const routes = createProjectRoutes({
    flavor,
    user,
    pageSize,
    getProjects: () => projects,
    getBaseUrl: () => baseUrl,
  });
  // The cloud serves both versions; Server and Data Center only the second.
  for (const version of flavor === 'cloud' ? [2, 3] : [2])
    server.register(routes(version), { prefix: `/rest/api/${version}` });
  const { baseUrl } = await listen(server, port);

  return {
    baseUrl,
    faults,
    setProjects: (others) => {
      projects = others;
    },
    setBusy: (retryAfter) => {
      busy = retryAfter;
    },
    requestCount: () => requestCount,
    stop: () => server.close(),
  };
}
