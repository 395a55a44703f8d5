import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { withBase } from './sync-base.ts';

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
  const files = (await readdir(import.meta.dirname)).filter((file) => /^[a-z-]+\.ts$/.test(file));
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
