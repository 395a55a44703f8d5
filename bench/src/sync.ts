import { type Figure, printFigures } from './figures.ts';
import { measureCatchUp } from './sync/catch-up.ts';
import { type Clusters, startClusters } from './sync/clusters.ts';
import { measureFailOver } from './sync/fail-over.ts';
import { measureFiles } from './sync/files.ts';
import { measureIdle } from './sync/idle.ts';
import { measureKill } from './sync/kill.ts';
import { measureLatency } from './sync/latency.ts';
import { measureOneTransaction } from './sync/one-transaction.ts';
import { measurePeers } from './sync/peers.ts';
import { measurePositions } from './sync/positions.ts';
import { measureWriters } from './sync/writers.ts';

/**
 * `npm run bench -- sync [catch-up …] [rows=100000] [rounds=3] …`: runs the given parts, or all of
 * them. The real sync service and the Journey simulator have their own processes, between two
 * PostgreSQL servers of the benchmark.
 */
const usual = {
  rows: 100_000,
  rounds: 3,
  /** Number of latency samples. */
  samples: 200,
  /** Rows of the single transaction. */
  transaction: 1_000_000,
  /** Rows that get new values of a unique key. */
  positions: 10_000,
  integrations: 5000,
  photos: 1000,
  /**
   * Seconds for which idle integrations are measured, and duration of each round of the writers.
   */
  seconds: 30,
  /** Seconds that integrations are idle before they are measured. */
  settle: 60,
  /** Seconds after the first webhook until idle integrations are measured again. */
  rest: 120,
};

const given = process.argv.slice(2);
const named = given.filter((word) => !word.includes('=') && !word.startsWith('--'));
const serviceFlags = given.filter((word) => word.startsWith('--'));
const set = Object.fromEntries(given.filter((word) => word.includes('=')).map((word) => word.split('=')));
const numbers = { ...usual };
for (const name of Object.keys(usual) as (keyof typeof usual)[]) {
  if (name in set) numbers[name] = Number(set[name]);
}
const { rows, rounds, samples, transaction, positions, integrations, photos, seconds, settle, rest } = numbers;

const parts: Record<string, readonly [title: string, measure: (clusters: Clusters) => Promise<Figure[]>]> = {
  'catch-up': [
    `a backlog of ${rows.toLocaleString('en-US')} rows, medians of ${rounds} rounds`,
    (clusters) => measureCatchUp(clusters, { rows, rounds, serviceFlags }),
  ],
  peers: [
    `beside Bucardo and PouchDB, a backlog of ${rows.toLocaleString('en-US')} rows, medians of ${rounds} rounds`,
    (clusters) => measurePeers(clusters, { rows, rounds, samples }),
  ],
  latency: ['from a commit to the other side', (clusters) => measureLatency(clusters, samples)],
  memory: ['memory of the service', (clusters) => measureOneTransaction(clusters, transaction)],
  files: [
    `${photos.toLocaleString('en-US')} photos of 30 kB, 50 ms each`,
    (clusters) => measureFiles(clusters, { photos, bytes: 30_000, delayMs: 50 }),
  ],
  kill: ['killed and started again', (clusters) => measureKill(clusters, rows)],
  'fail-over': ['one of two services fails', (clusters) => measureFailOver(clusters, rounds)],
  positions: [
    `new values of a unique key, which other rows still have; medians of ${rounds} rounds`,
    (clusters) => measurePositions(clusters, { rows: positions, rounds }),
  ],
  writers: [
    `cost to the writers, with the service and, as the peer, without; medians of ${rounds} rounds of ${seconds} s`,
    (clusters) => measureWriters(clusters, seconds, rounds),
  ],
};

for (const apps of [1, 10, 100, 1000, 5000].filter((one) => one <= integrations)) {
  parts[`idle-${apps}`] = [
    `${apps} idle`,
    (clusters) => measureIdle(clusters, { apps, seconds, settleSeconds: settle, restSeconds: rest }),
  ];
}

for (const [name, [title, measure]] of Object.entries(parts)) {
  if (named.length > 0 && !named.some((word) => name === word || name.startsWith(`${word}-`))) continue;
  const clusters = await startClusters();
  try {
    printFigures(`sync: ${title}`, await measure(clusters));
  } finally {
    await clusters.stop();
  }
}
process.exit();
