import { addEntryPoint } from '@portal/contract/app-config';
import { mergeSchedule } from '@portal/contract/deployments';
import { getAccessHistory, migrateApp } from '@portal/contract/schema-access';
import { getSessions } from '@portal/contract/sessions';
import { getRoster, savePortalShift } from '@portal/contract/support-roster';
import { listActivity } from '@portal/contract/sync/activity';
import { getConflictFile } from '@portal/contract/sync/conflicts';
import { saveSyncDashboard } from '@portal/contract/sync/dashboards';
import { syncEndpoints } from '@portal/contract/sync/endpoints';
import { listIntegrations } from '@portal/contract/sync/integration';
import type { SimulatedAppHandle } from '@portal/simulators/helium/simulator';
import { nextWeekday } from '../features/deployments/deployments.fixture.ts';
import { buildValue, type Examples, type NamedSubjects } from '../testing/build-request.ts';
import { createIntegration } from '../testing/scripted-sync-service.ts';
import type { TestClient } from '../testing/test-client.ts';
import type { WalkWorld } from './rules-walk.fixture.ts';

/** What is planted for one app and its team. */
export interface Planted {
  readonly app: SimulatedAppHandle;
  readonly named: NamedSubjects;
  readonly examples: Examples;
  /** The number of a person on the roster, which is masked for all. */
  readonly phone: string;
  /** The lag of its integration. */
  readonly lagMs: number;
  /** Texts that only those who have the app may read. */
  readonly secrets: readonly string[];
  /** Texts that everyone in the environment may read, but no one elsewhere. */
  readonly ofEnvironment: readonly string[];
}

/** Plants something of each kind, as a user who may. */
export async function plant(
  walk: WalkWorld,
  demo: TestClient,
  { app, team }: { readonly app: SimulatedAppHandle; readonly team: string },
): Promise<Planted> {
  const [teamUser = ''] = walk.world.helium.teams.map(({ name }) => name);
  const { heliumDataSourceName: dataSource } = app.dataSource;
  const number = `+27 82 555 01${team.length}`;
  const lagMs = 9_000_000_000_000_000 + team.length;
  const reason = `Reason of a grant to ${team}`;
  const releaseName = `Release of ${team}`;
  const name = `Dashboard-of-${team}`;
  const person = `Person of ${team}`;
  const entryPoint = 'Nightly:closeOldVisits';
  await demo.call(saveSyncDashboard, { name, appIds: [app.id] });
  await demo.call(migrateApp, { appId: app.id, teamUser, reason });
  const [grant] = await demo.call(getAccessHistory, { appId: app.id });
  const [start, end] = [nextWeekday(7), nextWeekday(10)];
  const shift = await demo.call(savePortalShift, { team, id: null, name: person, number, start, end });
  await demo.call(addEntryPoint, { appId: app.id, entryPoint, duration: 1 });
  const day = (instant: string) => instant.slice(0, 10);
  const [row] = await demo.call(getRoster, { team, startDate: day(start), endDate: day(end) });
  const schedule = {
    dataSource,
    team,
    jiraProject: 'WALK',
    releaseTag: 'https://bitbucket.example.com/walk/commits/tag/DEPLOY_walk_20301204',
    releaseName,
    releaseGroup: 'walk',
    deploymentDate: start,
  };
  const path = mergeSchedule.path.replace(':scheduleId', 'null');
  const saved = await demo.send('POST', path, JSON.stringify({ ...schedule, appIds: [app.id] }));
  const { sessions } = await demo.call(getSessions, undefined);
  const integration = `https://helium.example.com/${app.schemaName}`;
  return {
    app,
    named: {
      ...walk.name(app, team),
      anySchema: app.schemaName,
      dashboard: name,
      grant: grant?.id ?? '',
      integration,
      schedule: String(JSON.parse(saved.text).id),
    },
    examples: {
      ...schedule,
      appId: app.id,
      appIds: app.id,
      baseUrl: walk.world.baseUrl,
      endDate: day(end),
      entryPoint: 'Reminders:sendReminders',
      environment: 'Production',
      journeyUrl: 'https://run-testing-us.journeyapps.com/api/v4/5f1c',
      number,
      oldEntryPoint: entryPoint,
      personId: row?.personId ?? '',
      platform: 'Helium',
      reason: 'A reason',
      scheduledEvent: entryPoint,
      sessionId: sessions[0]?.id ?? '',
      shiftId: shift.id,
      start,
      end,
      startDate: day(start),
      step: 'Users informed',
      teamUser,
    },
    phone: number,
    secrets: [app.name, number, reason, `Journey user of ${app.schemaName}`, `Text of ${app.id}`, String(lagMs)],
    lagMs,
    ofEnvironment: [name, person, releaseName],
  };
}

/** Lets the sync service answer each call with what is of the app that the call names. */
export function scriptService({ service }: WalkWorld, planted: readonly Planted[]): void {
  const integrations = planted.map(({ app, named }) => ({
    ...createIntegration(app, { heliumBaseUrl: String(named.integration) }),
    journeyUserName: `Journey user of ${app.schemaName}`,
  }));
  service.scriptSocket((socket, first) => socket.send(JSON.stringify({ value: `Text of ${readAppId(first)}` })));
  for (const endpoint of syncEndpoints) {
    const answer = (appId: string) =>
      typeof endpoint.response === 'string' ? '' : buildValue(endpoint.response, createTexts(appId));
    for (const { app } of planted) {
      const what = `${endpoint.method} /api${endpoint.path.replace(':appId', app.id)}`;
      service.script(what, ({ body }) => answer(readAppId(body) ?? app.id));
      if (endpoint.path !== getConflictFile.path) continue;
      service.script(what, (_, reply) => reply.header('x-file-name', 'file').send(`Text of ${app.id}`));
    }
  }
  service.script(`POST /api${listIntegrations.path}`, () => integrations);
  const activities = planted.map(({ app, lagMs }) => {
    const interval = { at: 0, toJourney: 0, toHelium: 0, toJourneyLagMs: lagMs, toHeliumLagMs: lagMs };
    return { appId: app.id, intervals: [interval] };
  });
  service.script(`GET /api${listActivity.path}`, () => ({ from: 0, integrations: activities }));
}

const createTexts = (appId: string): Examples => {
  const text = `Text of ${appId}`;
  return { appId, text, message: text, table: text, reason: text, fileName: text, value: text, name: text };
};

function readAppId(payload: unknown): string | undefined {
  const appId: unknown = Object(payload).appId;
  return typeof appId === 'string' ? appId : undefined;
}
