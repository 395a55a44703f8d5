/**
 * The single write path for a deployment's objects, for the API and for devices, with a few
 * statements per batch of any size. Objects, op-log, and the last sequence change in one
 * transaction that locks the deployment's row, so entries become visible in the order of their
 * sequences.
 */
import { inTransaction, type PoolClient } from '@portal/kit/postgres/pool';
import { ApiProblem } from './api-problem.ts';
import type { Deployment } from './deployment.ts';
import type { Contents } from './json.ts';
import { type Operation, type Prepared, prepare } from './operations.ts';
import { lockAndWipe } from './sessions.ts';
import type { Upload } from './uploads.ts';
import { type LogEntry, type Outcome, objectKey, planWrites, type StoredObject, type WritePlan } from './write-plan.ts';

type Origin = 'api' | 'device';

interface WriteOptions {
  readonly origin: Origin;
  readonly stopOnError?: boolean;
}

/**
 * Returns one outcome per operation in order. Throws only for database errors, in which case
 * nothing was written.
 */
export function write(
  deployment: Deployment,
  operations: readonly Operation[],
  options: WriteOptions,
): Promise<readonly Outcome[]> {
  return deployment.runExclusive(async () => {
    const { outcomes, entries } = await inTransaction(deployment.pool, (client) =>
      runOperations(client, deployment, operations, options),
    );
    deployment.reportWrite(entries);
    return outcomes;
  });
}

async function runOperations(
  client: PoolClient,
  deployment: Deployment,
  operations: readonly Operation[],
  { origin, stopOnError = false }: WriteOptions,
): Promise<WritePlan> {
  const { rows } = await client.query<{ last_sequence: string }>(
    'select last_sequence from deployment where key = $1 for no key update',
    [deployment.key],
  );
  const dataModel = deployment.dataModel();
  const prepared = operations.map((operation) => prepare(operation, dataModel, deployment.id));
  const plan = planWrites(prepared, {
    present: await readPresent(client, deployment, prepared),
    lastSequence: BigInt(rows[0]?.last_sequence ?? 0),
    now: deployment.nowSeconds(),
    stopOnError,
  });
  for (const upload of plan.uploads) await storeUpload(client, deployment, upload);
  await appendEntries(client, deployment, plan.entries, origin);
  const { appUser } = dataModel;
  const deletedUsers = plan.entries.filter(
    ({ operation, object }) => operation === 'delete' && object.type === appUser,
  );
  if (deletedUsers.length > 0)
    await lockAndWipe(
      client,
      deployment,
      deletedUsers.map(({ object }) => object.id),
    );
  return plan;
}

interface Row {
  readonly type: string;
  readonly id: string;
  readonly contents: Contents;
  readonly updated_at: string;
  readonly created: string;
}

async function readPresent(
  client: PoolClient,
  { key }: Deployment,
  operations: readonly (Prepared | ApiProblem)[],
): Promise<ReadonlyMap<string, StoredObject>> {
  const named = operations.filter((operation): operation is Prepared => !(operation instanceof ApiProblem));
  if (named.length === 0) return new Map();
  const { rows } = await client.query<Row>(
    `select found.* from unnest($2::text[], $3::uuid[]) as named (type, id) cross join lateral (
       select * from object where deployment = $1 and type = named.type and id = named.id limit 1) as found`,
    [key, named.map(({ model }) => model.name), named.map(({ id }) => id)],
  );
  return new Map(
    rows.map(({ type, id, contents, updated_at, created }) => [
      objectKey(type, id),
      { type, id, contents, updatedAt: Number(updated_at), created },
    ]),
  );
}

async function storeUpload(client: PoolClient, { key }: Deployment, { id, fileName, content }: Upload): Promise<void> {
  await client.query(
    'insert into attachment (deployment, id, file_name, content) values ($1, $2, $3, $4) on conflict do nothing',
    [key, id, fileName, content],
  );
}

/**
 * An object's last entry contains its state, so it is sent once for both tables. Objects are looked
 * up one by one (`limit 1`), here and above, because the planner overestimates their number and
 * would scan the whole table.
 */
const keep = `
with entry as materialized (
  select * from unnest($3::bigint[], $4::text[], $5::text[], $6::uuid[], $7::jsonb[], $8::bigint[], $9::bigint[], $10::boolean[])
    as entry (sequence, operation, type, id, contents, updated_at, created, is_last)
), logged as (
  insert into op_log (deployment, sequence, operation, type, id, contents, updated_at, created, origin)
  select $1, sequence, operation, type, id, contents, updated_at, created, $2 from entry
), removed as (
  delete from object where ctid = any (array (
    select found.ctid from entry cross join lateral (
      select ctid from object where deployment = $1 and type = entry.type and id = entry.id limit 1) as found
    where is_last and operation = 'delete'))
), kept as (
  insert into object (deployment, type, id, contents, updated_at, created)
  select $1, type, id, contents, updated_at, created from entry where is_last and operation <> 'delete'
  on conflict (deployment, type, id) do update
  set contents = excluded.contents, updated_at = excluded.updated_at, created = excluded.created
)
update deployment set last_sequence = (select max(sequence) from entry) where key = $1`;

async function appendEntries(
  client: PoolClient,
  { key }: Deployment,
  entries: readonly LogEntry[],
  origin: Origin,
): Promise<void> {
  if (entries.length === 0) return;
  const last = new Map(entries.map((entry) => [objectKey(entry.object.type, entry.object.id), entry]));
  const isLast = (entry: LogEntry) => last.get(objectKey(entry.object.type, entry.object.id)) === entry;
  await client.query(keep, [
    key,
    origin,
    entries.map(({ sequence }) => sequence),
    entries.map(({ operation }) => operation),
    entries.map(({ object }) => object.type),
    entries.map(({ object }) => object.id),
    entries.map(({ object }) => JSON.stringify(object.contents)),
    entries.map(({ object }) => object.updatedAt),
    entries.map(({ object }) => object.created),
    entries.map(isLast),
  ]);
}
