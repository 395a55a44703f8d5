import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { withBase } from './sync/base.ts';

function isEndpoint(value: unknown): value is Endpoint {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['method', 'path', 'request', 'response'].every((key) => key in value)
  );
}

/**
 * Returns every endpoint that a contract module exports. The server builds its routes from these
 * modules, so this covers all of its calls.
 */
async function readExportedEndpoints(): Promise<Endpoint[]> {
  const files = (await readdir(import.meta.dirname, { recursive: true })).filter((file) =>
    /^(sync\/)?[a-z-]+\.ts$/.test(file),
  );
  const modules: object[] = await Promise.all(files.map((file) => import(`./${file}`)));
  return modules.flatMap((module) => Object.values(module)).filter(isEndpoint);
}

const toEndpointName = ({ method, path }: Endpoint) => `${method} ${path}`;

test('lists every endpoint that a module of the contract exports', async () => {
  const exported = await readExportedEndpoints();
  const listed = new Set(endpoints.map(toEndpointName));
  // Endpoints of the sync service are listed under the first of their bases.
  const isListed = (each: Endpoint) =>
    listed.has(toEndpointName(each)) || listed.has(toEndpointName(withBase('/sync/api/', each)));
  expect(exported.filter((each) => !isListed(each)).map(toEndpointName)).toEqual([]);
  expect(exported).toHaveLength(endpoints.length);
});

/** Section 7 of the specification, letter for letter; `:name` is what is in braces there. */
const specifiedCalls = [
  'GET /portal-backend/api/environments',
  'POST /portal-backend/api/apps',
  'POST /portal-backend/api/config/get-config/',
  'POST /portal-backend/api/config/add-entry-point',
  'POST /portal-backend/api/config/remove-entry-point',
  'POST /portal-backend/api/config/set-max-db-results',
  'POST /portal-backend/api/config/disable-app',
  'POST /portal-backend/api/config/lock-app',
  'POST /portal-backend/api/config/get-scheduled-events/',
  'POST /portal-backend/api/config/toggle-scheduled-event',
  'POST /portal-backend/api/schema-access/team-names',
  'POST /portal-backend/api/schema-access/migrate-app',
  'POST /portal-backend/api/schema-access/migrate-schema',
  'POST /portal-backend/api/schema-access/generate-sql',
  'POST /portal-backend/api/schema-access/ping-database',
  'POST /portal-backend/api/schema-access/app-schemas',
  'POST /portal-backend/api/db-spy/stats',
  'POST /portal-backend/api/db-spy/last-reset',
  'POST /schema-access/api/pgStatReset/',
  'POST /portal-backend/api/debug/scheduled-function',
  'GET /portal-backend/api/deployment/teams',
  'GET /portal-backend/api/deployment/jira-project/:team',
  'POST /portal-backend/api/deployment/apps/',
  'GET /portal-backend/api/deployment/list',
  'POST /portal-backend/api/deployment/merge/:scheduleId',
  'POST /portal-backend/api/deployment/resolve/:scheduleId',
  'GET /portal-backend/api/he-latest-release-version',
  'GET /portal-backend/api/support-roster/teams',
  'POST /portal-backend/api/support-roster/roster',
  'POST /portal-backend/api/get-sync-objects',
  'GET /portal-backend/api/sync-dashboard/null',
  'GET /portal-backend/api/sync-dashboard/:name',
  'POST /portal-backend/api/sync-dashboard/',
  'DELETE /portal-backend/api/sync-dashboard/:name',
  'POST /sync/api/list',
  'GET /sync/api/get/:appId',
  'POST /sync/api/get-template',
  'POST /sync/api/get-template-enrollment',
];

test('writes the path of every specified call as the specification does, with or without a final slash', () => {
  const listed = new Set(endpoints.map(toEndpointName));
  expect(specifiedCalls.filter((name) => !listed.has(name))).toEqual([]);
});
