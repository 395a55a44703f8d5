/**
 * Measures how fast the files of one large page arrive, and what that takes. The peer downloads the
 * same files, as many at once, and stores nothing.
 */
import { getResidentMb } from '@portal/e2e/processes';
import { defaultTiming } from '@portal/sync/engine/run/pace/timing';
import { count, type Figure } from '../figures.ts';
import { deploymentId } from './app-schema.ts';
import type { Clusters } from './clusters.ts';
import { createSyncWorld, type SyncWorld, waitUntil } from './sync-world.ts';

export interface FilesOptions {
  readonly photos: number;
  readonly bytes: number;
  /** How long Journey takes for each download. */
  readonly delayMs: number;
}

const goalMb = 256;
/** More than a measurement makes. */
const maxDownloads = 1_000_000;
const { parallelDownloads } = defaultTiming.files;

export async function measureFiles(clusters: Clusters, { photos, bytes, delayMs }: FilesOptions): Promise<Figure[]> {
  const world = await createSyncWorld(clusters, { name: 'files', hasPhotos: true });
  const service = await world.startService();
  await world.waitUntilLive();
  const countDownloads = await slowDownloads(world, delayMs);
  const idle = getResidentMb(service.pid);
  let peak = idle;
  const sampling = setInterval(() => {
    peak = Math.max(peak, getResidentMb(service.pid));
  }, 50);
  await world.backend.ask({ photos, bytes });
  const fromMs = performance.now();
  const waitFor = async (column: string, rows: number) => {
    await waitUntil(async () => (await countRows(world, column)) >= rows, 10);
    return performance.now() - fromMs;
  };
  const firstRecordMs = await waitFor('_id_', 1);
  const lastRecordMs = await waitFor('_id_', photos);
  const firstFileMs = await waitFor('photo', 1);
  const lastFileMs = await waitFor('photo', photos);
  clearInterval(sampling);
  const downloads = await countDownloads();
  await service.stop();
  const peerMs = await downloadAll(world);
  await world.stop();
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  return [
    { what: 'until the first record', ours: `${count(firstRecordMs)} ms` },
    { what: 'until the last record', ours: `${count(lastRecordMs)} ms` },
    { what: 'until the first file', ours: `${count(firstFileMs)} ms` },
    {
      what: 'until the last file',
      ours: seconds(lastFileMs),
      peer: seconds(peerMs),
      ratio: peerMs / lastFileMs,
      goal: '≥ 0.8',
      met: peerMs / lastFileMs >= 0.8,
    },
    { what: 'downloads', ours: count(downloads), goal: count(photos), met: downloads === photos },
    {
      what: 'peak memory over idle',
      ours: `${count(peak - idle)} MB over ${count(idle)} MB`,
      goal: `< ${goalMb} MB`,
      met: peak - idle < goalMb,
    },
  ];
}

async function countRows({ helium, table }: SyncWorld, column: string): Promise<number> {
  const { rows } = await helium.query(`select count(${column})::int as rows from ${table}`);
  return rows[0]?.rows;
}

/** Delays each download, and returns how to count them. */
async function slowDownloads({ backend }: SyncWorld, delayMs: number): Promise<() => Promise<number>> {
  const url = `${backend.ready.baseUrl}/simulator/faults`;
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ mode: 'delay', path: '^/downloads/', delayMs, times: maxDownloads });
  const response = await fetch(url, { method: 'PUT', headers, body });
  if (!response.ok) throw new Error(`The simulator rejected the delay: ${await response.text()}`);
  return async () => {
    const [fault] = (await (await fetch(url)).json()) as { times: number }[];
    return maxDownloads - (fault?.times ?? 0);
  };
}

/** Downloads every file once, and returns the milliseconds that it took. */
async function downloadAll({ journey, backend }: SyncWorld): Promise<number> {
  const { baseUrl, password } = backend.ready;
  const { rows } = await journey.query<{ id: string }>('select id::text from attachment');
  const authorization = `Basic ${btoa(`${deploymentId(0)}:${password}`)}`;
  const ids = rows.map(({ id }) => id);
  const fromMs = performance.now();
  const download = async () => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      const url = `${baseUrl}/api/v4/${deploymentId(0)}/attachments/${id}/original`;
      const response = await fetch(url, { headers: { authorization } });
      if (!response.ok) throw new Error(`A download was answered with ${response.status}.`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: parallelDownloads }, download));
  return performance.now() - fromMs;
}
