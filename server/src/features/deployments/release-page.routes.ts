import { scheduleLabels } from '@portal/contract/deployments-fields';
import * as contract from '@portal/contract/release-page';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import { findConflictsOf } from './find-conflicts.ts';
import { listSteps, markStep } from './mark-step.ts';
import { findTagSave } from './release-steps.store.ts';
import { requireSaved } from './save-schedule.ts';

/** Which support team belongs to a team of deployments, and which have a similar name. */
type FindSupportTeam = (
  environment: string,
  team: string,
) => { readonly team: string | null; readonly similar: readonly string[] };

export function releasePageRoutes(
  dependencies: Dependencies,
  findSupportTeam: FindSupportTeam,
): RoutesOf<typeof contract> {
  const { pool, config, permissions } = dependencies;
  return {
    getRelease: route(contract.getRelease, async ({ caller, schedule: found }) => {
      const schedule = requireSaved(caller, found);
      const { team, similar } = findSupportTeam(caller.environment.name, schedule.team);
      const named = (team === null ? similar : [team]).map((each) => ({ team: each }));
      const [steps, conflicts, tagSet, visible] = await Promise.all([
        listSteps(pool, config.deployments.steps, schedule.id),
        schedule.scheduleStatus === 'RESOLVED' ? [] : findConflictsOf(pool, schedule),
        findTagSave(pool, schedule.id, scheduleLabels(config.product).releaseTag),
        permissions.filterTeams(caller, 'roster.view', named),
      ]);
      const teams = visible.map((each) => each.team);
      return {
        schedule,
        steps,
        conflicts,
        tagSet,
        supportTeam: team === null ? null : (teams[0] ?? null),
        similarTeams: team === null ? teams : [],
      };
    }),

    markReleaseStep: route(contract.markReleaseStep, ({ caller, schedule, input, noted }) =>
      markStep(dependencies, { caller, schedule: requireSaved(caller, schedule), noted }, input),
    ),
  };
}
