import type { Pool } from '@portal/kit/postgres/pool';
import { changeSequence, qualified } from './sql-names.ts';

/**
 * Returns why the change log cannot be read in the order of its numbers, or null when it can. A
 * sequence with a cache allocates numbers in advance: a session may draw a number below the horizon
 * after the horizon was read.
 */
export async function findSequenceProblem(pool: Pool, schema: string): Promise<string | null> {
  const { rows } = await pool.query<{ cache: string; isRising: boolean }>(
    `select s.seqcache::text as cache, s.seqincrement > 0 and not s.seqcycle as "isRising"
     from pg_sequence s join pg_class c on c.oid = s.seqrelid
     where c.relname = $2 and c.relnamespace = (select oid from pg_namespace where nspname = $1)`,
    [schema, changeSequence],
  );
  const [sequence] = rows;
  const name = qualified(schema, changeSequence);
  if (!sequence) return null;
  if (!sequence.isRising) return `Helium's change-log numbers do not always increase: ${name} counts down or cycles.`;
  if (sequence.cache === '1') return null;
  return `Helium's change-log numbers are allocated in advance, so changes would be lost: ${name} has a cache of ${sequence.cache}. Run ALTER SEQUENCE ${name} CACHE 1, close the sessions that were opened before, then enable the integration.`;
}
