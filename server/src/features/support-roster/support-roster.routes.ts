import * as contract from '@portal/contract/support-roster';
import { z } from 'zod';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import {
  removeRosterShift,
  requirePortalTeam,
  saveRosterShift,
  toPortalShift,
} from './portal-roster/change-portal-shifts.ts';
import { listShifts } from './portal-roster/portal-shifts.store.ts';
import type { ShiftImports } from './portal-roster/shift-imports.ts';
import { readOnCall } from './read-on-call.ts';
import { revealNumber } from './reveal-number.ts';
import { readRoster, readWindow } from './roster-rows.ts';
import type { SupportTeams } from './support-teams.ts';

const shiftParams = z.object({ shiftId: z.string() });

export function supportRosterRoutes(
  dependencies: Dependencies,
  teams: SupportTeams,
  imports: ShiftImports,
): RoutesOf<typeof contract> {
  const { permissions, pool } = dependencies;
  return {
    getRosterTeams: route(contract.getRosterTeams, async ({ caller }) => {
      await permissions.require(caller, 'roster.view');
      return teams.list(caller.environment.name).map(({ name }) => name);
    }),

    getRoster: route(contract.getRoster, async ({ caller, input }) => {
      await permissions.require(caller, 'roster.view', { resource: input.team });
      const { name, timeZone } = caller.environment;
      return readRoster(teams.require(name, input.team), teams.people, readWindow(input, timeZone), timeZone);
    }),

    revealNumber: route(contract.revealNumber, async ({ caller, input }) => ({
      number: await revealNumber(dependencies, teams, caller, input),
    })),

    getOnCall: route(contract.getOnCall, async ({ caller, input }) => {
      await permissions.require(caller, 'roster.view', { resource: input.team });
      const { name } = caller.environment;
      if (input.team === undefined) return teams.onCall(name, new Date());
      return [await readOnCall(teams.require(name, input.team), teams.people, new Date())];
    }),

    getPortalShifts: route(contract.getPortalShifts, async ({ caller, input: { team } }) => {
      await permissions.require(caller, 'roster.view', { resource: team });
      const { environment } = requirePortalTeam(teams, caller, team);
      return (await listShifts(pool, { environment, team }, contract.maxPortalShifts)).map(toPortalShift);
    }),

    savePortalShift: route(contract.savePortalShift, ({ caller, input }) =>
      saveRosterShift(dependencies, teams, caller, input),
    ),

    deletePortalShift: route(contract.deletePortalShift, async ({ caller, input: { team }, request }) => {
      const { shiftId } = shiftParams.parse(request.params);
      await removeRosterShift(dependencies, teams, caller, { team, id: shiftId });
      return { deleted: true };
    }),

    importShifts: route(contract.importShifts, async ({ caller, input }) =>
      input.dryRun ? { imported: 0, preview: await imports.preview(caller, input) } : imports.start(caller, input),
    ),

    getShiftImport: route(contract.getShiftImport, async ({ caller, input: { team } }) => ({
      job: await imports.find(caller, team),
    })),
  };
}
