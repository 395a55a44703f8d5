import type { mergeSchedule } from '@portal/contract/deployments';
import * as rules from '@portal/contract/deployments-rules';
import type { RequestOf } from '@portal/contract/endpoint';
import { InvalidPayload } from '@portal/edge/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import { listAppsIn } from '../../access/app-access.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';
import { readInstant } from './deployment-times.ts';
import type { ScheduleContent } from './schedules.store.ts';
import type { TeamDirectory } from './team-directory.ts';

export type ScheduleRequest = RequestOf<typeof mergeSchedule>;

const { wizardSentences } = rules;

const fieldBySentence: Readonly<Record<string, string>> = {
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
 * Validates a request and returns the content to store, with app details taken from the platform.
 * Throws InvalidPayload with the specified message, or Unreachable if Jira or the data source is
 * down.
 *
 * @param before The schedule's current date, which may stay in the past if it is unchanged.
 */
export async function checkSchedule(
  { config, appDatabases }: Pick<Dependencies, 'config' | 'appDatabases'>,
  directory: TeamDirectory,
  caller: Caller,
  request: ScheduleRequest,
  { now, before }: { readonly now: Date; readonly before: Date | null },
): Promise<ScheduleContent> {
  const { timeZone, name: environment } = caller.environment;
  const selectionError = rules.findSelectionError(request);
  if (selectionError) throw toInvalidPayload(fieldBySentence[selectionError] ?? 'payload', selectionError);

  const deploymentDate = readInstant(request.deploymentDate, timeZone);
  const isUnchanged = before?.getTime() === deploymentDate.getTime();
  const releaseError = rules.findReleaseError(
    { ...request, deploymentDate },
    { prefix: config.deployments.sourceControlPrefix, timeZone, now: isUnchanged ? deploymentDate : now },
  );
  if (releaseError) throw toInvalidPayload(fieldBySentence[releaseError] ?? 'releaseTag', releaseError);

  await checkProject(directory, request);
  const database = appDatabases.all(caller.environment).find(({ name }) => name === request.dataSource);
  if (!database)
    throw toInvalidPayload(
      'dataSource',
      `There is no data source ${shortenValue(request.dataSource)} in ${environment}.`,
    );
  const appsById = new Map((await listAppsIn(caller, database, 'deployments.change')).map((app) => [app.id, app]));
  const apps = [...new Set(request.appIds)].map((id) => {
    const app = appsById.get(id);
    if (!app) throw toInvalidPayload('appIds', `You have no app ${shortenValue(id)} in ${database.name}.`);
    return app;
  });

  return {
    environment,
    deploymentDate: deploymentDate.toISOString(),
    team: request.team,
    jiraProject: request.jiraProject,
    appIds: apps.map(({ id }) => id),
    appNames: apps.map(({ name }) => name),
    appSchemas: apps.map(({ schemaName }) => schemaName),
    releaseName: request.releaseName.trim(),
    releaseGroup: request.releaseGroup.trim(),
    releaseTag: request.releaseTag.trim(),
    releaseDescription: rules.parseTag(request.releaseTag) ?? '',
    instructions: request.instructions?.trim() || rules.instructionsWhenEmpty,
    dataSource: request.dataSource,
  };
}

async function checkProject(directory: TeamDirectory, { team, jiraProject }: ScheduleRequest): Promise<void> {
  const { teams, problem } = await directory.read();
  const suffix = problem === null ? '.' : ` in the last known list. ${problem}`;
  const found = teams.find(({ name }) => name === team);
  if (!found) throw toInvalidPayload('team', `There is no team ${shortenValue(team)}${suffix}`);
  if (!found.projects.some(({ key }) => key === jiraProject))
    throw toInvalidPayload('jiraProject', `The team ${team} has no JIRA project ${shortenValue(jiraProject)}${suffix}`);
}

function toInvalidPayload(field: string, sentence: string): InvalidPayload {
  return new InvalidPayload({ [field]: sentence }, sentence);
}
