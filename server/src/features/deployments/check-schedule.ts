import type { mergeSchedule } from '@portal/contract/deployments';
import * as rules from '@portal/contract/deployments-rules';
import type { RequestOf } from '@portal/contract/endpoint';
import { listAppsIn } from '../../access/app-access.ts';
import type { Dependencies } from '../../dependencies.ts';
import { InvalidPayload } from '../../http/problems.ts';
import type { Caller } from '../../session/caller.ts';
import { readInstant } from './deployment-place.ts';
import type { ScheduleContent } from './schedules.store.ts';
import type { TeamDirectory } from './team-directory.ts';

export type WantedSchedule = RequestOf<typeof mergeSchedule>;

const { wizardSentences } = rules;

const fieldOf: Readonly<Record<string, string>> = {
  [wizardSentences.dataSource]: 'dataSource',
  [wizardSentences.team]: 'team',
  [wizardSentences.jiraProject]: 'jiraProject',
  [wizardSentences.apps]: 'appIds',
  [wizardSentences.releaseName]: 'releaseName',
  [wizardSentences.releaseGroup]: 'releaseGroup',
  [wizardSentences.deploymentDate]: 'deploymentDate',
  [wizardSentences.weekend]: 'deploymentDate',
  [wizardSentences.past]: 'deploymentDate',
};

/**
 * What shall be stored of what was sent: everything checked again, and what the platform knows
 * better said by it. Throws InvalidPayload with the specified sentence, or Unreachable where
 * somebody who must be asked is away.
 *
 * @param before The schedule's date as it is now; left as it is, it may have passed.
 */
export async function checkSchedule(
  { config, appDatabases }: Pick<Dependencies, 'config' | 'appDatabases'>,
  directory: TeamDirectory,
  caller: Caller,
  wanted: WantedSchedule,
  { now, before }: { readonly now: Date; readonly before: Date | null },
): Promise<ScheduleContent> {
  const { timeZone, name: environment } = caller.environment;
  const selectionFault = rules.findSelectionError(wanted);
  if (selectionFault) throw invalid(fieldOf[selectionFault] ?? 'payload', selectionFault);

  const deploymentDate = readInstant(wanted.deploymentDate, timeZone);
  const isUnchanged = before?.getTime() === deploymentDate.getTime();
  const releaseFault = rules.findReleaseError(
    { ...wanted, deploymentDate },
    { prefix: config.deployments.sourceControlPrefix, timeZone, now: isUnchanged ? deploymentDate : now },
  );
  if (releaseFault) throw invalid(fieldOf[releaseFault] ?? 'releaseTag', releaseFault);

  await checkProject(directory, wanted);
  const database = appDatabases.all(caller.environment).find(({ name }) => name === wanted.dataSource);
  if (!database) throw invalid('dataSource', `There is no data source ${wanted.dataSource} in ${environment}.`);
  const held = new Map((await listAppsIn(caller, database)).map((app) => [app.id, app]));
  const apps = [...new Set(wanted.appIds)].map((id) => {
    const app = held.get(id);
    if (!app) throw invalid('appIds', `There is no app ${id} among yours in ${wanted.dataSource}.`);
    return app;
  });

  return {
    environment,
    deploymentDate: deploymentDate.toISOString(),
    team: wanted.team,
    jiraProject: wanted.jiraProject,
    appIds: apps.map(({ id }) => id),
    appNames: apps.map(({ name }) => name),
    appSchemas: apps.map(({ schemaName }) => schemaName),
    releaseName: wanted.releaseName.trim(),
    releaseGroup: wanted.releaseGroup.trim(),
    releaseTag: wanted.releaseTag.trim(),
    releaseDescription: rules.parseTag(wanted.releaseTag) ?? '',
    instructions: wanted.instructions?.trim() || rules.instructionsWhenEmpty,
    dataSource: wanted.dataSource,
  };
}

async function checkProject(directory: TeamDirectory, { team, jiraProject }: WantedSchedule): Promise<void> {
  const { teams, problem } = await directory.read();
  const end = problem === null ? '.' : ` as far as the portal knows. ${problem}`;
  const found = teams.find(({ name }) => name === team);
  if (!found) throw invalid('team', `There is no team ${team}${end}`);
  if (!found.projects.some(({ key }) => key === jiraProject))
    throw invalid('jiraProject', `The team ${team} has no JIRA project ${jiraProject}${end}`);
}

function invalid(field: string, sentence: string): InvalidPayload {
  return new InvalidPayload({ [field]: sentence }, sentence);
}
