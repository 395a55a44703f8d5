import * as contract from '@portal/contract/support-roster';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import { findOwnTeams } from './own-teams.ts';
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

export function supportRosterRoutes(
  { pool, config, permissions }: Dependencies,
  teams: SupportTeams,
  imports: ShiftImports,
): RoutesOf<typeof contract> {
  return {
    getRosterTeams: route(contract.getRosterTeams, async ({ caller }) => {
      const all = teams.list(caller.environment.name).map(({ name }) => ({ team: name }));
      const visible = await permissions.filterTeams(caller, contract.getRosterTeams.may, all);
      return visible.map(({ team }) => team);
    }),

    getRoster: route(contract.getRoster, ({ caller, team, input }) => {
      const { timeZone } = caller.environment;
      return readRoster(team, teams.people, readWindow(input, timeZone), timeZone);
    }),

    revealNumber: route(contract.revealNumber, async ({ input: { personId }, ...call }) => ({
      number: await revealNumber(teams.people, call, personId),
    })),

    getOnCall: route(contract.getOnCall, async ({ caller, team, input, signal }) => {
      const at = input.at === undefined ? new Date() : new Date(input.at);
      if (team) return [await readOnCall(team, teams.people, at)];
      const [onCall, own] = await Promise.all([
        teams.onCall(caller.environment.name, at),
        findOwnTeams(caller, config.teams, signal),
      ]);
      const visible = await permissions.filterTeams(caller, contract.getOnCall.may, onCall);
      return visible.sort((a, b) => Number(own.has(b.team)) - Number(own.has(a.team)));
    }),

    getPortalShifts: route(contract.getPortalShifts, async ({ team }) => {
      const where = requirePortalTeam(team);
      return (await listShifts(pool, where, contract.maxPortalShifts)).map(toPortalShift);
    }),

    savePortalShift: route(contract.savePortalShift, ({ team, input, noted }) =>
      saveRosterShift(pool, { team, noted }, input),
    ),

    deletePortalShift: route(contract.deletePortalShift, async ({ team, params: { shiftId }, noted }) => {
      await removeRosterShift(pool, { team, noted }, shiftId);
      return { deleted: true as const };
    }),

    importShifts: route(contract.importShifts, async ({ caller, team, input, noted }) => {
      if (!input.dryRun) return imports.start({ caller, team, noted }, input);
      noted.changesNothing = true;
      return { imported: 0, preview: await imports.preview(caller, team, input.csv) };
    }),

    getShiftImport: route(contract.getShiftImport, async ({ team }) => ({ job: await imports.find(team) })),
  };
}
