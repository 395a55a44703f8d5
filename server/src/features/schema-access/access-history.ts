import type { AccessGrant } from '@portal/contract/schema-access';
import { Problem } from '@portal/kit/problems';
import { requireApp } from '../../access/app-access.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';
import { listGrants } from './access-grants.store.ts';
import { settleOpen } from './open-grants.ts';

const maxGrants = 1_000;

/** Lists the grants of one app or of all the caller's apps, newest first. */
export async function readHistory(
  { pool, appDatabases }: Dependencies,
  caller: Caller,
  appId: string | undefined,
): Promise<AccessGrant[]> {
  const { environment } = caller;
  const apps =
    appId === undefined
      ? (await caller.apps({ forReading: true })).apps
      : [await requireApp(caller, appId, 'schema-access.view')];
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
