import { getStats } from '@portal/contract/db-spy';
import { generateSql, migrateSchema } from '@portal/contract/schema-access';
import { openHeliumDatabase } from '@portal/platforms/helium-database/database';
import { statementsSql } from '@portal/platforms/helium-database/statistics/statements';
import { readStatisticsServer } from '@portal/platforms/helium-database/statistics/statistics-server';
import { type BenchDatabase, prepareDatabase, runManyStatements, schemaName, teams } from './db-spy-data.ts';
import { measureStatisticsPage } from './db-spy-page.ts';
import { count, type Figure, median, printFigures } from './figures.ts';
import { hasPsql, timeInPsql } from './psql.ts';
import { startSystem } from './system.ts';

/**
 * Measures statistics and grants, compared with psql doing exactly the same in an open session.
 * psql's time runs from the statement to the last row, ours from the call to the last byte of JSON.
 */
const rounds = Number(process.argv[2] ?? 15);
const statementCount = 5_000;

let database: BenchDatabase | undefined;
let superuserUrl = '';
const system = await startSystem({
  apps: 1,
  postgresSettings: { 'pg_stat_statements.max': '20000' },
  async prepare(postgres) {
    database = await prepareDatabase(postgres);
    superuserUrl = postgres.urlFor(database.dataSources[0]?.dbName ?? '');
    return database;
  },
});
try {
  if (!hasPsql()) console.log('psql is not installed on this machine: the figures have no peer.');
  const { cookie } = await system.signIn();
  const source = database?.dataSources[0];
  if (!source) throw new Error('the benchmark has no data source');
  const dataSource = source.heliumDataSourceName;

  const call = async (path: string, payload: unknown) => {
    const began = performance.now();
    const response = await fetch(system.origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: system.origin, cookie },
      body: JSON.stringify(payload),
    });
    const pieces: Uint8Array[] = [];
    // Up to the last byte, as psql reads up to the last row. Parsing is measured for neither.
    for await (const piece of response.body ?? []) pieces.push(piece);
    const ms = performance.now() - began;
    const text = Buffer.concat(pieces).toString();
    if (!response.ok) throw new Error(`${path} returned ${response.status} ${text}`);
    return { ms, text };
  };

  const grants = await measureGrants();
  await runManyStatements(superuserUrl, statementCount);
  const stats = await measureStats();
  const page = await measureStatisticsPage(system, dataSource, Math.min(rounds, 7));
  printFigures(`db-spy: medians of ${rounds} rounds`, [...stats, ...grants, ...page]);

  async function measureStats(): Promise<Figure[]> {
    const helium = openHeliumDatabase({ name: dataSource, url: source?.url ?? '' });
    const server = await readStatisticsServer(helium);
    await helium.close();
    if (!server.extension) throw new Error('the benchmark has no pg_stat_statements');
    const statements = statementsSql(helium, server, server.extension, {});
    // psql has no parameters; the only one is the key of the ids.
    const sql = statements.sql.replace('$1::text', `'${helium.statementIdKey}'::text`);
    const ours: number[] = [];
    const peer: number[] = [];
    let size = 0;
    let rows = 0;
    for (let round = 0; round <= rounds; round += 1) {
      const { ms, text } = await call(getStats.path, { dataSource });
      const psql = hasPsql() ? timeInPsql(source?.url ?? '', `${sql};`) : [];
      if (round === 0) continue;
      ours.push(ms);
      peer.push(...psql);
      size = text.length;
      rows = JSON.parse(text).length;
    }
    if (rows < statementCount) throw new Error(`only ${rows} statements were recorded`);
    const what = `\`db-spy/stats\`: ${count(rows)} statements, ${(size / 1e6).toFixed(1)} MB of JSON`;
    return [compareWithPeer(what, ours, peer, 1.5)];
  }

  async function measureGrants(): Promise<Figure[]> {
    const ours: number[] = [];
    const peer: number[] = [];
    let statements = 0;
    // Ownership alternates: the portal grants the schema to one team, psql to the other.
    for (let round = 0; round <= rounds; round += 1) {
      const { ms, text } = await call(migrateSchema.path, { dataSource, teamUser: teams[0], schemaName });
      const { actions }: { actions: string[] } = JSON.parse(text);
      const { text: generated } = await call(generateSql.path, { teamUser: teams[1], schemaName });
      const sql: { actions: string[] } = JSON.parse(generated);
      const times = hasPsql() ? timeInPsql(source?.url ?? '', sql.actions.join('\n')) : [];
      if (round === 0) continue;
      statements = actions.length;
      ours.push(ms);
      peer.push(times.reduce((sum, one) => sum + one, 0));
    }
    return [compareWithPeer(`a grant of ${count(statements)} statements: planned, run and recorded`, ours, peer, 1.3)];
  }
} finally {
  await system.stop();
}

function compareWithPeer(what: string, ours: readonly number[], peer: readonly number[], maxRatio: number): Figure {
  const shown = { what, ours: `${count(median(ours))} ms`, goal: `≤ ${maxRatio}` };
  if (peer.length === 0) return shown;
  const ratio = median(ours) / median(peer);
  return { ...shown, peer: `${count(median(peer))} ms`, ratio, met: ratio <= maxRatio };
}
