import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { startChild } from './child.ts';
import { count, type Figure, median, printFigures } from './figures.ts';
import { startSystem } from './system.ts';

/**
 * Measures requests per second and p99 latency of the two most frequent page calls, compared with a
 * baseline handler of the same framework that returns the same bytes from memory. Rounds alternate,
 * so that other load on the machine affects both.
 */
const rounds = Number(process.argv[2] ?? 5);
const seconds = Number(process.argv[3] ?? 5);
const connections = 20;

const system = await startSystem();
const folder = mkdtempSync(join(tmpdir(), 'portal-bench-'));
try {
  const { cookie, baseUrl, apps } = await system.signIn();
  const calls = [
    { path: '/portal-backend/api/apps', body: { baseUrl } },
    { path: '/portal-backend/api/config/get-config/', body: { baseUrl, appId: apps[0]?.id } },
  ];
  const headers = { 'content-type': 'application/json', origin: system.origin, cookie };
  const responses = await Promise.all(
    calls.map(async ({ path, body }, at) => {
      const response = await fetch(system.origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`${path} returned ${response.status} ${await response.text()}`);
      const file = join(folder, `${at}.json`);
      writeFileSync(file, Buffer.from(await response.arrayBuffer()));
      return { method: 'POST', path, type: 'application/json; charset=utf-8', file };
    }),
  );
  const peer = await startChild<{ url: string }>('./baseline-handler.ts', responses);

  const figures: Figure[] = [];
  for (const { path, body } of calls) {
    const measured: Record<'ours' | 'peer', autocannon.Result[]> = { ours: [], peer: [] };
    for (let round = 0; round <= rounds; round += 1) {
      for (const [side, origin] of [
        ['ours', system.origin],
        ['peer', peer.ready.url],
      ] as const) {
        const result = await autocannon({
          url: origin + path,
          method: 'POST',
          headers,
          body: JSON.stringify(body),
          connections,
          duration: seconds,
        });
        if (result.non2xx > 0 || result.errors > 0) {
          throw new Error(`${side} ${path}: ${result.non2xx} refused, ${result.errors} failed`);
        }
        if (round > 0) measured[side].push(result);
      }
    }
    const middle = (results: autocannon.Result[], pick: (result: autocannon.Result) => number) =>
      median(results.map(pick));
    const rate = {
      ours: middle(measured.ours, (r) => r.requests.average),
      peer: middle(measured.peer, (r) => r.requests.average),
    };
    const p99 = {
      ours: middle(measured.ours, (r) => r.latency.p99),
      peer: middle(measured.peer, (r) => r.latency.p99),
    };
    figures.push(
      {
        what: `${path.split('/').at(-1)}, requests/s`,
        ours: count(rate.ours),
        peer: count(rate.peer),
        ratio: rate.ours / rate.peer,
      },
      {
        what: `${path.split('/').at(-1)}, p99`,
        ours: `${count(p99.ours)} ms`,
        peer: `${count(p99.peer)} ms`,
        ratio: p99.ours / p99.peer,
      },
    );
  }
  await peer.stop();
  printFigures(`api: ${connections} connections, medians of ${rounds} rounds of ${seconds} s`, figures);
} finally {
  await system.stop();
  rmSync(folder, { recursive: true, force: true });
}
