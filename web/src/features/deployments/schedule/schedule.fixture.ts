import type { Schedule } from '@portal/contract/deployments';

/** Returns a schedule for tests, with the given changes. */
export function scheduleFor(changes: Partial<Schedule> = {}): Schedule {
  return {
    id: '7',
    deploymentDate: '2026-11-24T16:00:00.000Z',
    team: 'Team Health',
    jiraProject: 'HEALTH',
    appIds: ['a1', 'a2'],
    appNames: ['Clinic Visits', 'Stock Room'],
    appSchemas: ['clinic_visits', 'stock_room'],
    releaseName: 'Helium Apps - 20261124',
    releaseGroup: 'Health',
    releaseTag: 'https://bitbucket.org/acme/health/commits/tag/DEPLOY_Health_20261124',
    releaseDescription: 'DEPLOY_Health_20261124',
    instructions: 'None',
    dataSource: 'helium-app-1',
    environment: 'Production',
    scheduleStatus: 'MERGE',
    outcome: null,
    outcomeNote: '',
    portalUser: 'demo',
    revision: 1,
    updatedAt: '2026-11-20T08:00:00.000Z',
    ...changes,
  };
}
