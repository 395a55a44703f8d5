import { once } from 'node:events';
import { getSyncBase, getSyncSocketPaths } from '@portal/contract/sync/base';
import { type SyncConfig, syncConfigSchema } from '@portal/contract/sync/config';
import type { Enrollment, EnrollmentType } from '@portal/contract/sync/enrollment';
import { syncSocketReplySchema } from '@portal/contract/sync/socket';
import { getWebhooks } from '@portal/contract/sync/webhooks';
import type { DemoDeployment } from '@portal/simulators/journey/demo';
import { WebSocket } from 'ws';

interface Plan {
  readonly environment: string;
  readonly app: string;
  readonly enabled?: boolean;
  /**
   * The Journey password at the time of the save. It has changed since, so the integration halts.
   */
  readonly formerPassword?: string;
  /** Whether Journey reports what devices change. */
  readonly hasWebhooks?: boolean;
  readonly enrollment?: { readonly type: EnrollmentType; fill(template: Enrollment): Enrollment };
}

const plans: readonly Plan[] = [
  { environment: 'Production', app: 'Stock Visibility', hasWebhooks: true },
  {
    environment: 'Production',
    app: 'Community Health Visits',
    enrollment: {
      type: 'user',
      fill: (template) => ({ ...template, heliumObjectName: 'HealthWorker', journeyObjectName: 'healthWorker' }),
    },
  },
  {
    environment: 'Zambia-production',
    app: 'Field Extension Services',
    enrollment: { type: 'session', fill: fillOfficerNames },
  },
  { environment: 'Staging', app: 'Farmer Input Vouchers' },
  // Only if it is installed.
  { environment: 'Staging', app: 'National Programme' },
  { environment: 'Production', app: 'Vaccine Cold Chain', enabled: false },
  { environment: 'Production', app: 'Livestock Traceability', formerPassword: 'journey-of-last-year' },
];

function fillOfficerNames(template: Enrollment): Enrollment {
  if (template.type !== 'session') return template;
  const { sessionObjectFieldNames: session, sessionContainerObjectFieldNames: container } = template;
  return {
    ...template,
    heliumObjectName: 'Officer',
    journeyObjectName: 'officer',
    sessionObjectName: 'OfficerSession',
    sessionContainerObjectName: 'OfficerContainer',
    sessionObjectFieldNames: { ...session, heliumObjectFkFieldName: 'officer' },
    sessionContainerObjectFieldNames: { ...container, sessionObjectFkFieldName: 'session' },
  };
}

const updateIntervalMins = 5;
const authorization = `Basic ${btoa('demo:demo')}`;

/**
 * Creates the missing demo integrations through the portal's API, as the demo user would. Throws
 * the portal's error if a call is refused.
 *
 * @param portal The portal's address.
 */
export async function createDemoIntegrations(portal: string, deployments: readonly DemoDeployment[]): Promise<void> {
  for (const plan of plans) {
    const deployment = deployments.find(
      ({ environment, appName }) => environment === plan.environment && appName === plan.app,
    );
    if (!deployment) continue;
    if (!(await listIds(portal, plan.environment)).has(deployment.appId)) await create(portal, plan, deployment);
    if (plan.hasWebhooks) await setUpWebhooks(portal, deployment);
  }
}

async function setUpWebhooks(portal: string, { environment, appId, sendWebhooksTo }: DemoDeployment): Promise<void> {
  const { path } = getWebhooks.response.parse(await call(portal, environment, `webhooks/${appId}`));
  const secrets = sendWebhooksTo(`${portal}${path}`);
  await call(portal, environment, 'save-webhook-secrets', { appId, secrets });
}

/**
 * Creates integrations of a company's apps: enabled ones with a deployment, disabled ones without.
 */
export async function createCompanyIntegrations(
  portal: string,
  deployments: readonly DemoDeployment[],
  { disabled }: { readonly disabled: readonly DemoDeployment[] },
): Promise<void> {
  const [environment] = disabled.map((one) => one.environment);
  if (environment === undefined) return;
  const existing = await listIds(portal, environment);
  const planned = new Set(plans.map(({ app }) => app));
  const enabled = deployments.filter((one) => one.environment === environment && !planned.has(one.appName));
  const missing = [
    ...enabled.map((deployment) => ({ deployment, enabled: true })),
    ...disabled.map((deployment) => ({ deployment, enabled: false })),
  ].filter(({ deployment }) => !existing.has(deployment.appId));
  const createNext = async (): Promise<void> => {
    const next = missing.pop();
    if (!next) return;
    await create(portal, { environment, app: next.deployment.appName, enabled: next.enabled }, next.deployment);
    return createNext();
  };
  await Promise.all(Array.from({ length: savesAtOnce }, createNext));
}

const savesAtOnce = 4;

async function listIds(portal: string, environment: string): Promise<ReadonlySet<unknown>> {
  const integrations = await call(portal, environment, 'list', {});
  return new Set(Array.isArray(integrations) ? integrations.map(({ id }) => id) : []);
}

async function create(portal: string, plan: Plan, deployment: DemoDeployment): Promise<void> {
  const { environment, appId, dataSource, url, userName } = deployment;
  const journeyUserMode = plan.enrollment?.type ?? 'user';
  const template = syncConfigSchema.parse(
    await call(portal, environment, 'get-template', { uuid: appId, dataSource, journeyUserMode }),
  );
  const enrollment = plan.enrollment?.fill(template.journeyToHeliumEnrollment);
  const config: SyncConfig = {
    ...template,
    enabled: plan.enabled ?? true,
    journey: {
      appId: userName,
      baseUrl: url,
      restAPICredentials: { userName, password: plan.formerPassword ?? deployment.password },
    },
    ...(enrollment && {
      journeyToHeliumEnrollment: { ...enrollment, enabled: true, updateIntervalMins },
    }),
  };
  // Saving tests both connections.
  if (plan.formerPassword) deployment.changePassword(plan.formerPassword);
  try {
    await merge(portal, environment, config);
  } finally {
    if (plan.formerPassword) deployment.changePassword(deployment.password);
  }
}

/** Sends a POST, or a GET if there is no body. */
async function call(portal: string, environment: string, path: string, body?: object): Promise<unknown> {
  const query = body ? '' : `?${new URLSearchParams({ environment })}`;
  const response = await fetch(`${portal}${getSyncBase(environment)}${path}${query}`, {
    headers: { authorization, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify({ environment, ...body }) }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/** The socket closes with its first reply. */
async function merge(portal: string, environment: string, config: SyncConfig): Promise<void> {
  const [path] = getSyncSocketPaths(getSyncBase(environment));
  const query = new URLSearchParams({ environment });
  const socket = new WebSocket(`${portal.replace(/^http/, 'ws')}${path}?${query}`, { headers: { authorization } });
  const replies: string[] = [];
  socket.on('message', (data) => replies.push(String(data)));
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'MERGE', appId: config.helium.appId, config }));
  const [code, reason] = await once(socket, 'close');
  if (replies[0] === undefined) throw new Error(`The socket closed with code ${code}: ${reason}`);
  const { value, failed, problems = [] } = syncSocketReplySchema.parse(JSON.parse(replies[0]));
  if (failed) throw new Error([value, ...problems.map(({ field, reason: why }) => `${field} ${why}`)].join('\n'));
}
