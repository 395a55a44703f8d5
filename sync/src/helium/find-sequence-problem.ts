import type { Pool } from '@portal/kit/postgres/pool';
import { changeSequence, qualified } from './sql-names.ts';

/**
 * Why the numbers of the change log cannot be read in their order; null when they can. A sequence
 * with a cache gives them out in advance: a session that draws one, after the horizon was seen, may
 * draw a number below it.
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
  if (!sequence.isRising)
    return `The numbers of Helium's change log do not only rise: ${name} counts down or begins anew.`;
  if (sequence.cache === '1') return null;
  return `Numbers of Helium's change log are given out in advance, so changes would be lost: ${name} has a cache of ${sequence.cache}. Set it back (ALTER SEQUENCE ${name} CACHE 1), end the sessions that were open before, then enable the integration.`;
}
