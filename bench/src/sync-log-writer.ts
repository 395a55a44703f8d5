import { createLogger } from '@portal/kit/logger';
import { createPool } from '@portal/kit/postgres/pool';
import { LogWriter } from '@portal/sync/portal-store/log-writer';
import { readChildArgument, serveParent } from './inside-child.ts';

/**
 * Writes lines to an integration's log at a fixed rate, as another process of the sync service
 * would.
 */
const { databaseUrl, no } = readChildArgument<{ databaseUrl: string; no: string }>();
const pool = createPool(databaseUrl, { max: 1, applicationName: 'bench' });
const writer = new LogWriter(pool, createLogger({ name: 'bench', level: 'warn' }));

let linesPerSecond = 0;
let from = performance.now();
let written = 0;
setInterval(() => {
  const due = Math.floor(((performance.now() - from) / 1000) * linesPerSecond);
  for (; written < due; written += 1) {
    const level = written % 50 === 0 ? 'WARNING' : 'INFO';
    writer.write(no, level, `Helium → Journey: record ${written} of Mongu Depot sent, ${written % 500} items.`);
  }
}, 20);

serveParent(null, (request) => {
  linesPerSecond = Number(request ?? 0);
  from = performance.now();
  written = 0;
  return true;
});
