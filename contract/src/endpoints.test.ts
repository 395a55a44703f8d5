import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { withBase } from './sync-base.ts';

function isEndpoint(value: unknown): value is Endpoint {
  return (
    typeof value === 'object' && value !== null && ['method', 'path', 'takes', 'answers'].every((key) => key in value)
  );
}

/**
 * A feature's routes are built from its module of the contract, so this is every call the server
 * has.
 */
async function exportedEndpoints(): Promise<Endpoint[]> {
  const files = (await readdir(import.meta.dirname)).filter((file) => /^[a-z-]+\.ts$/.test(file));
  const modules: object[] = await Promise.all(files.map((file) => import(`./${file}`)));
  return modules.flatMap((module) => Object.values(module)).filter(isEndpoint);
}

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;

test('every endpoint that a module of the contract exports is in the list', async () => {
  const exported = await exportedEndpoints();
  const listed = new Set(endpoints.map(nameOf));
  // Those of the sync service are listed at the first of its bases.
  const isListed = (each: Endpoint) => listed.has(nameOf(each)) || listed.has(nameOf(withBase('/sync/api/', each)));
  expect(exported.filter((each) => !isListed(each)).map(nameOf)).toEqual([]);
  expect(exported).toHaveLength(endpoints.length);
});
