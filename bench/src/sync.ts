import { type Figure, printFigures } from './figures.ts';
import { measureCatchUp } from './sync/catch-up.ts';
import { type Clusters, startClusters } from './sync/clusters.ts';
import { measureIdle } from './sync/idle.ts';
import { measureKill } from './sync/kill.ts';
import { measureLatency } from './sync/latency.ts';
import { measureOneTransaction } from './sync/one-transaction.ts';
import { measureWriters } from './sync/writers.ts';

/**
 * `npm run bench -- sync [catch-up …] [rows=100000] [rounds=3] …`: without a part's name, all of
 * them. The real sync service and the Journey simulator have a process each, between two PostgreSQL
 * servers of the bench's own.
 */
const usual = {
  rows: 100_000,
  rounds: 3,
  /** Changes whose latency is taken. */
  samples: 200,
  /** Rows of the one transaction. */
  transaction: 1_000_000,
  integrations: 1000,
  /** How long idle integrations are watched, and each round of the writers lasts. */
  seconds: 30,
  /** How long integrations rest before they are watched. */
  settle: 60,
};

const given = process.argv.slice(2);
const named = given.filter((word) => !word.includes('=') && !word.startsWith('--'));
const serviceFlags = given.filter((word) => word.startsWith('--'));
const set = Object.fromEntries(given.filter((word) => word.includes('=')).map((word) => word.split('=')));
const numbers = { ...usual };
for (const name of Object.keys(usual) as (keyof typeof usual)[]) {
  if (name in set) numbers[name] = Number(set[name]);
}
const { rows, rounds, samples, transaction, integrations, seconds, settle } = numbers;

const parts: Record<string, readonly [title: string, measure: (clusters: Clusters) => Promise<Figure[]>]> = {
  'catch-up': [
    `a backlog of ${rows.toLocaleString('en-US')} rows, medians of ${rounds} rounds`,
    (clusters) => measureCatchUp(clusters, { rows, rounds, serviceFlags }),
  ],
  latency: ['from a commit to the other side', (clusters) => measureLatency(clusters, samples)],
  memory: ['memory of the service', (clusters) => measureOneTransaction(clusters, transaction)],
  kill: ['killed and started again', (clusters) => measureKill(clusters, rows)],
  writers: [
    `cost to the writers, with the service and, as the peer, without; medians of ${rounds} rounds of ${seconds} s`,
    (clusters) => measureWriters(clusters, seconds, rounds),
  ],
};

for (const apps of [1, 10, 100, 1000].filter((one) => one <= integrations)) {
  parts[`idle-${apps}`] = [
    `${apps} at rest`,
    (clusters) => measureIdle(clusters, { apps, seconds, settleSeconds: settle }),
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
