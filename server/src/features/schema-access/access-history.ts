import type { App } from '@portal/contract/apps';
import type { AccessGrant } from '@portal/contract/schema-access';
import { Problem } from '@portal/kit/problems';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';
import { listGrants } from './access-grants.store.ts';
import { settleOpen } from './open-grants.ts';

const maxGrants = 1_000;

/** Lists the grants of one app or of all the caller's apps, newest first. */
export async function readHistory(
  { pool, appDatabases }: Dependencies,
  caller: Caller,
  app: App | undefined,
): Promise<AccessGrant[]> {
  const { environment } = caller;
  const apps = app ? [app] : (await caller.apps({ forReading: true })).apps;
  const databases = appDatabases.all(environment);
  await settleOpen(pool, { environment: environment.name }, (name) => databases.find((one) => one.name === name)).catch(
    // Grants of an unreachable data source are settled another time; the history is returned
    // without them.
    (error: unknown) => {
      if (!(error instanceof Problem)) throw error;
    },
  );
  return listGrants(
    pool,
    environment.name,
    apps.map(({ id }) => id),
    maxGrants,
  );
}
