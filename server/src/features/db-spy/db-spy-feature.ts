import type * as contract from '@portal/contract/db-spy';
import type { FastifyInstance } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import type { RoutesOf } from '../../http/route.ts';
import { dbSpyRoutes } from './db-spy.routes.ts';
import { SnapshotSchedule } from './snapshots/snapshot-schedule.ts';

/** Registers statement statistics and the snapshots that are taken while the server runs. */
export function dbSpyFeature(app: FastifyInstance, dependencies: Dependencies): RoutesOf<typeof contract> {
  const snapshots = new SnapshotSchedule(dependencies);
  snapshots.start();
  app.addHook('onClose', () => snapshots.stop());
  return dbSpyRoutes(dependencies, snapshots);
}
