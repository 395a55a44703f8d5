import type { Outcome, Schedule } from './deployments.ts';

/** Fields that the portal stores with a schedule, apart from the release itself. */
type BookkeepingField =
  | 'id'
  | 'appIds'
  | 'environment'
  | 'scheduleStatus'
  | 'outcome'
  | 'outcomeNote'
  | 'portalUser'
  | 'revision'
  | 'updatedAt';
/** Fields of a release that are shown to users. */
export type ScheduleField = Exclude<keyof Schedule, BookkeepingField>;
export type ScheduleTexts = Pick<Schedule, ScheduleField>;

export const outcomeLabels: Readonly<Record<Outcome, string>> = {
  deployed: 'Deployed',
  rolledBack: 'Rolled back',
  calledOff: 'Called off',
};

/**
 * Returns the label of each field, in display order. A field of the contract that is missing here
 * does not compile.
 *
 * @param product The configured name of the platform's apps.
 */
export function scheduleLabels(product: string): Readonly<Record<ScheduleField, string>> {
  return {
    deploymentDate: 'Deployment Date',
    team: 'Team',
    jiraProject: 'Project',
    dataSource: 'Data Source',
    appNames: product,
    appSchemas: 'Schemas',
    releaseName: 'Release Name',
    releaseGroup: 'Release Group',
    releaseTag: 'Release Tag',
    releaseDescription: 'Release Description',
    instructions: 'Instructions',
  };
}

/**
 * Returns the labels of the wizard, in the order of its fields. The schemas follow from the apps.
 */
export function wizardLabels(product: string): Readonly<Record<Exclude<ScheduleField, 'appSchemas'>, string>> {
  return {
    dataSource: 'Data Source',
    team: 'Developer Team',
    jiraProject: 'JIRA Project',
    appNames: product,
    releaseTag: 'Release Tag',
    releaseDescription: 'Release Description',
    releaseGroup: 'Helium Release Group',
    releaseName: 'Helium Release Name',
    deploymentDate: 'Deployment Date',
    instructions: 'Instructions',
  };
}

export interface ScheduleFact<Field extends ScheduleField = ScheduleField> {
  readonly field: Field;
  readonly label: string;
  readonly text: string;
}

/**
 * Returns the labeled fields as text, in the order of their labels. `formatDate` formats the
 * deployment date.
 */
export function readFacts<Field extends ScheduleField>(
  schedule: ScheduleTexts,
  labels: Readonly<Record<Field, string>>,
  formatDate: (deploymentDate: string) => string,
): ScheduleFact<Field>[] {
  const facts: ScheduleFact<Field>[] = [];
  for (const field in labels) {
    const value = schedule[field];
    const text = field === 'deploymentDate' ? formatDate(schedule.deploymentDate) : [value].flat().join(', ');
    facts.push({ field, label: labels[field], text });
  }
  return facts;
}
