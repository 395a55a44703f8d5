/** Measures the simulator with calls of its API only: the upper limit for any engine. */
import { randomUUID } from 'node:crypto';
import { startChild } from '../child.ts';
import { deploymentId, deviceVisit } from './app-schema.ts';
import type { Clusters } from './clusters.ts';
import type { BackendArgument, BackendOrder, BackendReady } from './journey-backend.ts';

export interface BaselineJourney {
  readonly putsPerSecond: number;
  readonly entriesPerSecond: number;
}

const pageSize = 1000;

/** Makes one call after another with prepared bodies, and discards the responses. */
export async function measureBaselineJourney(clusters: Clusters, rows: number): Promise<BaselineJourney> {
  const argument: BackendArgument = { postgresUrl: clusters.target.url, database: 'journey_bare', deployments: 1 };
  const backend = await startChild<BackendReady, BackendOrder>('./sync/journey-backend.ts', argument);
  const { baseUrl, password } = backend.ready;
  const authorization = `Basic ${btoa(`${deploymentId(0)}:${password}`)}`;
  const call = async (path: string, body?: string) => {
    const response = await fetch(`${baseUrl}/api/v4/${deploymentId(0)}/${path}`, {
      headers: { authorization, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body }),
    });
    if (!response.ok) throw new Error(`${path} returned ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  };
  const pages = Math.max(1, Math.floor(rows / pageSize));
  const bodies = Array.from({ length: pages }, () =>
    JSON.stringify({
      operations: Array.from({ length: pageSize }, (_, n) => ({ method: 'put', object: deviceVisit(randomUUID(), n) })),
    }),
  );
  const putsPerSecond = await pagesPerSecond(pages, (page) => call('batch.json', bodies[page]));
  const entriesPerSecond = await pagesPerSecond(pages, (page) =>
    call(`oplog.json?sequence_ids=true&limit=${pageSize}&start=${page * pageSize + 1}`),
  );
  await backend.stop();
  return { putsPerSecond, entriesPerSecond };
}

async function pagesPerSecond(pages: number, ask: (page: number) => Promise<void>): Promise<number> {
  const from = performance.now();
  for (let page = 0; page < pages; page += 1) await ask(page);
  return (pages * pageSize * 1000) / (performance.now() - from);
}
