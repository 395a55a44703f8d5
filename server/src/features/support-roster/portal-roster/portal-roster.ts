import type { Pool } from '@portal/kit/postgres/pool';
import type { SupportTeam } from '../support-team.ts';
import { listShiftsIn } from './portal-shifts.store.ts';

/** Returns a team whose roster is managed in the portal. */
export function portalRoster(pool: Pool, environment: string, name: string): SupportTeam {
  return {
    name,
    environment,
    kind: 'portal',
    async read(span) {
      const { shifts, numbers } = await listShiftsIn(pool, { environment, team: name }, span);
      return { shifts, numbers, readAt: new Date(), problem: null };
    },
  };
}
