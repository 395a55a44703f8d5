/**
 * Keeps the record consistent with the data source without a shared transaction: the record is
 * written first, the data source commits, and the record is settled. Failures in between are
 * settled later.
 */
import { Problem, Unreachable } from '@portal/kit/problems';
import type { BeforeCommit } from '@portal/platforms/helium-database/schema-access/run-steps';
import type { Dependencies } from '../../dependencies.ts';
import { findGrant, type OpenGrant, settleCommitted } from './access-grants.store.ts';
import type { LocatedSchema } from './locate-schema.ts';
import { settleOpen } from './open-grants.ts';

export interface RecordedAction<P> {
  readonly state: OpenGrant['state'];
  /** Writes the record of the upcoming commit and returns its id. */
  readonly write: (committed: Parameters<BeforeCommit<P>>[0]) => Promise<string>;
  /** Changes the data source; calls `beforeCommit` unless there is nothing to do. */
  readonly run: (beforeCommit: BeforeCommit<P>) => Promise<{ readonly plan: P }>;
}

/** `id` is undefined if there was nothing to do. */
export interface RecordedResult<P> {
  readonly plan: P;
  readonly id: string | undefined;
}

/** If the response to the commit was lost, asks the data source whether it committed. */
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
        logger.warn(
          { err: error, grantId: id },
          'access was granted or reverted, but its record could not be settled; it will be settled later',
        ),
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
      `The connection to the data source ${location.dataSource} was lost during the change, so its outcome is not known yet. The access history shows it once the data source responds.`,
    );
  }
}
