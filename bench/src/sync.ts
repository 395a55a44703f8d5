import { type Figure, printFigures } from './figures.ts';
import { measureCatchUp } from './sync/catch-up.ts';
import { type Clusters, startClusters } from './sync/clusters.ts';

/**
 * `npm run bench -- sync [catch-up …] [rows=100000] [rounds=3] …`: without a part's name, all of them. The real sync
 * service and the Journey simulator have a process each, between two PostgreSQL servers of the bench's own.
 */
const usual = { rows: 100_000, rounds: 3, samples: 200, transaction: 1_000_000, integrations: 1000, seconds: 30 };

const given = process.argv.slice(2);
const named = given.filter((word) => !word.includes('=') && !word.startsWith('--'));
const serviceFlags = given.filter((word) => word.startsWith('--'));
const set = Object.fromEntries(given.filter((word) => word.includes('=')).map((word) => word.split('=')));
const numbers = { ...usual };
for (const name of Object.keys(usual) as (keyof typeof usual)[]) {
  if (name in set) numbers[name] = Number(set[name]);
}
const { rows, rounds } = numbers;

const parts: Record<string, readonly [title: string, measure: (clusters: Clusters) => Promise<Figure[]>]> = {
  'catch-up': [
    `a backlog of ${rows.toLocaleString('en-US')} rows, medians of ${rounds} rounds`,
    (clusters) => measureCatchUp(clusters, { rows, rounds, serviceFlags }),
  ],
};

for (const [name, [title, measure]] of Object.entries(parts)) {
  if (named.length > 0 && !named.includes(name)) continue;
  const clusters = await startClusters();
  try {
    printFigures(`sync: ${title}`, await measure(clusters));
  } finally {
    await clusters.stop();
  }
}
process.exit();
