import * as contract from '@portal/contract/support-roster';
import type { Noted } from '../../access/enforcer.ts';
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
import { readMoment, readRoster, readWindow } from './roster-rows.ts';
import type { SupportTeams } from './support-teams.ts';

export function supportRosterRoutes(
  { pool, config, permissions }: Dependencies,
  teams: SupportTeams,
  imports: ShiftImports,
): RoutesOf<typeof contract> {
  /** A view without numbers in full is not recorded. */
  const auditNumbers = (noted: Noted, areShown = true) => {
    if (teams.people.areMasked || !areShown) noted.changesNothing = true;
  };
  return {
    getRosterTeams: route(contract.getRosterTeams, async ({ caller }) => {
      const all = teams.list(caller.environment.name).map(({ name }) => ({ team: name }));
      const visible = await permissions.filterTeams(caller, contract.getRosterTeams.may, all);
      return visible.map(({ team }) => team);
    }),

    getRoster: route(contract.getRoster, ({ caller, team, input, noted }) => {
      auditNumbers(noted);
      const { timeZone } = caller.environment;
      return readRoster(team, teams.people, readWindow(input, timeZone), timeZone);
    }),

    revealNumber: route(contract.revealNumber, async ({ input: { personId }, ...call }) => ({
      number: await revealNumber(teams.people, call, personId),
    })),

    getOnCall: route(contract.getOnCall, async ({ caller, team, input, noted, signal }) => {
      const query = { at: readMoment(input.at), withNumbers: input.numbers !== undefined };
      auditNumbers(noted, query.withNumbers);
      if (team) return [await readOnCall(team, teams.people, query)];
      const [onCall, own] = await Promise.all([
        teams.onCall(caller.environment.name, query),
        findOwnTeams(caller, config.teams, signal),
      ]);
      const visible = await permissions.filterTeams(caller, contract.getOnCall.may, onCall);
      return visible.sort((a, b) => Number(own.has(b.team)) - Number(own.has(a.team)));
    }),

    getPortalShifts: route(contract.getPortalShifts, async ({ team, noted }) => {
      auditNumbers(noted);
      const shifts = await listShifts(pool, requirePortalTeam(team), contract.maxPortalShifts);
      return shifts.map((shift) => toPortalShift(shift, teams.people));
    }),

    savePortalShift: route(contract.savePortalShift, ({ team, input, noted }) =>
      saveRosterShift(pool, { team, noted, people: teams.people }, input),
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
