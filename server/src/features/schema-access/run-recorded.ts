/**
 * Keeps the record in step with the data source. The two have no common transaction, so the record
 * is written first, then the data source commits, then the record is told; whatever breaks in
 * between is settled later.
 */
import { Problem, Unreachable } from '@portal/kit/problems';
import type { BeforeCommit } from '@portal/platforms/helium-database/schema-access/run-steps';
import type { Dependencies } from '../../dependencies.ts';
import { findGrant, type OpenGrant, settleCommitted } from './access-grants.store.ts';
import type { LocatedSchema } from './locate-schema.ts';
import { settleOpen } from './open-grants.ts';

export interface RecordedAction<P> {
  readonly state: OpenGrant['state'];
  /** Writes the record of what is about to be committed, and answers its id. */
  readonly write: (committed: Parameters<BeforeCommit<P>>[0]) => Promise<string>;
  /**
   * Changes the data source; calls what it is given before it commits, unless there is nothing to
   * do.
   */
  readonly run: (beforeCommit: BeforeCommit<P>) => Promise<{ readonly plan: P }>;
}

/** `id` is undefined when there was nothing to do. */
export interface RecordedResult<P> {
  readonly plan: P;
  readonly id: string | undefined;
}

/** When the answer to the commit was lost, the data source is asked whether it did. */
export async function runRecorded<P>(
  { pool, logger }: Pick<Dependencies, 'pool' | 'logger'>,
  { database, location }: Pick<LocatedSchema, 'database' | 'location'>,
  { state, write, run }: RecordedAction<P>,
): Promise<RecordedResult<P>> {
  let started: { readonly id: string; readonly plan: P } | undefined;
  try {
    const { plan } = await run(async (committed) => {
      started = { id: await write(committed), plan: committed.plan };
    });
    const id = started?.id;
    if (id !== undefined) {
      await settleCommitted(pool, { ...location, id, state }).catch((error: unknown) =>
        logger.warn({ err: error, grantId: id }, 'a grant is made, and its record will be settled later'),
      );
    }
    return { plan, id };
  } catch (error) {
    if (started === undefined) throw error;
    if (await isCommitted(started.id)) return started;
    throw error;
  }

  async function isCommitted(id: string): Promise<boolean> {
    try {
      await settleOpen(pool, location, () => database);
      const grant = await findGrant(pool, location.environment, id);
      if (grant?.state !== 'running') return state === 'running' ? grant !== undefined : grant?.state === 'reverted';
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
    throw new Unreachable(
      `The data source ${location.dataSource} went away in the moment of the change. Whether it was made is not known yet; the history of access tells as soon as the data source answers.`,
    );
  }
}
