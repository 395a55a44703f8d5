/**
 * Copies of a deployment's objects and op-log, and the restore of one, as its operator would do it
 * with a backup.
 */
import { inTransaction } from '@portal/kit/postgres/pool';
import type { Deployment } from './deployment.ts';

/** Rows as JSON text, so that no number loses digits. */
export interface DeploymentCopy {
  readonly objects: string;
  readonly opLog: string;
  readonly lastSequence: string;
}

export async function takeCopy({ pool, key }: Deployment): Promise<DeploymentCopy> {
  const { rows } = await pool.query<DeploymentCopy>(
    `select
       (select coalesce(jsonb_agg(o), '[]')::text from object o where o.deployment = d.key) as objects,
       (select coalesce(jsonb_agg(l), '[]')::text from op_log l where l.deployment = d.key) as "opLog",
       d.last_sequence::text as "lastSequence"
     from deployment d where d.key = $1`,
    [key],
  );
  const [copy] = rows;
  if (copy === undefined) throw new Error(`There is no deployment ${key}`);
  return copy;
}

/** Replaces everything in one transaction. The next op-log entry follows the copy's last number. */
export function restoreCopy(
  { pool, key, runExclusive }: Deployment,
  { objects, opLog, lastSequence }: DeploymentCopy,
): Promise<void> {
  return runExclusive(() =>
    inTransaction(pool, async (client) => {
      await client.query('update deployment set last_sequence = $2 where key = $1', [key, lastSequence]);
      await client.query('delete from object where deployment = $1', [key]);
      await client.query('delete from op_log where deployment = $1', [key]);
      await client.query('insert into object select * from jsonb_populate_recordset(null::object, $1)', [objects]);
      await client.query('insert into op_log select * from jsonb_populate_recordset(null::op_log, $1)', [opLog]);
    }),
  );
}
