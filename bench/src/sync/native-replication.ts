/** The peer: PostgreSQL's logical replication of the same rows between the same two servers. */
import type pg from 'pg';
import { plainTable } from './app-schema.ts';
import type { Clusters } from './clusters.ts';

export interface NativeReplication {
  readonly source: pg.Client;
  readonly target: pg.Client;
  enable(): Promise<void>;
  disable(): Promise<void>;
  stop(): Promise<void>;
}

/** Creates a table `visit` in a database on each side; replication starts when it is enabled. */
export async function createNativeReplication(clusters: Clusters, name: string): Promise<NativeReplication> {
  const database = `peer_${name}`;
  const source = await clusters.connect(clusters.source, database);
  const target = await clusters.connect(clusters.target, database);
  await source.query(plainTable);
  await target.query(plainTable);
  await source.query('create publication bench for table visit');
  const address = `host=${clusters.source.host} port=${clusters.source.port} user=${clusters.source.user}`;
  await target.query(
    `create subscription ${database} connection '${address} password=${clusters.source.password} dbname=${database}'
     publication bench with (enabled = false, copy_data = false, create_slot = false, slot_name = ${database})`,
  );
  await source.query(`select pg_create_logical_replication_slot('${database}', 'pgoutput')`);
  return {
    source,
    target,
    enable: async () => void (await target.query(`alter subscription ${database} enable`)),
    disable: async () => void (await target.query(`alter subscription ${database} disable`)),
    async stop() {
      await target.query(`alter subscription ${database} disable`);
      await target.query(`drop subscription ${database}`);
    },
  };
}
