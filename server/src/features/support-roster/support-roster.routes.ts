import * as contract from '@portal/contract/support-roster';
import { z } from 'zod';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import { removeShiftOf, requireOwnTeam, saveShiftOf, shownShift } from './portal-roster/change-own-shifts.ts';
import { importShiftsOf, previewImport } from './portal-roster/import-shifts.ts';
import { listShifts } from './portal-roster/own-shifts.store.ts';
import { readOnCall } from './read-on-call.ts';
import { revealNumberOf } from './reveal-number.ts';
import { readRoster, readWindow } from './roster-rows.ts';
import type { SupportTeams } from './support-teams.ts';

const shiftParams = z.object({ shiftId: z.string() });

export function supportRosterRoutes(dependencies: Dependencies, teams: SupportTeams): RoutesOf<typeof contract> {
  const { permissions, pool } = dependencies;
  return {
    getRosterTeams: route(contract.getRosterTeams, async ({ caller }) => {
      await permissions.require(caller, 'roster.view');
      return teams.of(caller.environment.name).map(({ name }) => name);
    }),

    getRoster: route(contract.getRoster, async ({ caller, takes }) => {
      await permissions.require(caller, 'roster.view', takes.team);
      const { name, timeZone } = caller.environment;
      return readRoster(teams.require(name, takes.team), teams.people, readWindow(takes, timeZone), timeZone);
    }),

    revealNumber: route(contract.revealNumber, async ({ caller, takes }) => ({
      number: await revealNumberOf(dependencies, teams, caller, takes),
    })),

    getOnCall: route(contract.getOnCall, async ({ caller, takes }) => {
      await permissions.require(caller, 'roster.view', takes.team ?? null);
      const { name } = caller.environment;
      if (takes.team === undefined) return teams.onCall(name, new Date());
      return [await readOnCall(teams.require(name, takes.team), teams.people, new Date())];
    }),

    getOwnShifts: route(contract.getOwnShifts, async ({ caller, takes: { team } }) => {
      await permissions.require(caller, 'roster.view', team);
      const { environment } = requireOwnTeam(teams, caller, team);
      return (await listShifts(pool, { environment, team }, contract.mostOwnShifts)).map(shownShift);
    }),

    saveOwnShift: route(contract.saveOwnShift, ({ caller, takes }) => saveShiftOf(dependencies, teams, caller, takes)),

    deleteOwnShift: route(contract.deleteOwnShift, async ({ caller, takes: { team }, request }) => {
      const { shiftId } = shiftParams.parse(request.params);
      await removeShiftOf(dependencies, teams, caller, { team, id: shiftId });
      return { deleted: true };
    }),

    importShifts: route(contract.importShifts, async ({ caller, takes }) =>
      takes.dryRun
        ? { imported: 0, preview: await previewImport(dependencies, teams, caller, takes) }
        : { imported: await importShiftsOf(dependencies, teams, caller, takes) },
    ),
  };
}
