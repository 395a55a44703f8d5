/** Clients for both platforms behind a demo integration, bypassing the portal. */
import { getEnvironments } from '@portal/contract/environments';
import { type JourneySession, type JourneyUser, JourneyUserList } from '@portal/platforms/journey/user-wire';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { fetchConfig, journeyPassword } from './sync-form-steps.ts';

const heliumRecord = z.object({
  uuid: z.string(),
  attributes: z.record(z.string(), z.unknown()),
  relationships: z.record(z.string(), z.string()),
});
type HeliumRecord = z.infer<typeof heliumRecord>;

const journeyObject = z.looseObject({ id: z.string() });

type Values = Readonly<Record<string, unknown>>;

/** Each call throws the platform's error if it is refused. */
export interface PlatformClients {
  readonly journeyUrl: string;
  inHelium(object: string, id: string): Promise<HeliumRecord>;
  inJourney(model: string, id: string): Promise<z.infer<typeof journeyObject>>;
  heliumIds(object: string): Promise<string[]>;
  /** Creates the record if it does not exist. */
  editHelium(object: string, id: string, attributes: Values): Promise<void>;
  createInJourney(model: string, id: string, fields: Values): Promise<void>;
  editJourney(model: string, id: string, fields: Values): Promise<void>;
  journeyUsers(): Promise<readonly (JourneyUser & { readonly sessions: readonly JourneySession[] })[]>;
  /** Makes Journey's simulator fail from now on; null restores it. */
  breakJourney(faults: readonly Values[] | null): Promise<void>;
}

export async function createPlatformClients(page: Page, environment: string, appId: string): Promise<PlatformClients> {
  const environments = getEnvironments.response.parse(await (await page.request.get(getEnvironments.path)).json());
  const baseUrl = environments.find(({ name }) => name === environment)?.baseUrl ?? '';
  const { journey } = await fetchConfig(page, appId, environment);
  const { userName } = journey.restAPICredentials;
  const heliumUrl = `${baseUrl}/api/data/v1/${appId}/`;
  const journeyUrl = journey.baseUrl.replace(/\/?$/, '/');
  const callHelium = (path: string, body?: object) =>
    callApi(heliumUrl + path, 'demo:demo', body && { method: 'POST', body });
  const callJourney = (path: string, call?: Call) => callApi(journeyUrl + path, `${userName}:${journeyPassword}`, call);
  const write = (method: 'PUT' | 'PATCH') => async (model: string, id: string, fields: Values) => {
    await callJourney(`objects/${model}/${id}.json`, { method, body: { [model]: fields } });
  };
  return {
    journeyUrl: journey.baseUrl,
    inHelium: async (object, id) => heliumRecord.parse(await callHelium(`${object}/${id}`)),
    inJourney: async (model, id) => journeyObject.parse(await callJourney(`objects/${model}/${id}.json`)),
    heliumIds: async (object) =>
      z
        .array(heliumRecord)
        .parse(await callHelium(object))
        .map(({ uuid }) => uuid),
    async editHelium(object, id, attributes) {
      await callHelium(`${object}/${id}`, { attributes });
    },
    createInJourney: write('PUT'),
    editJourney: write('PATCH'),
    async breakJourney(faults) {
      await callApi(new URL('/simulator/faults', journeyUrl).href, '', { method: 'PUT', body: faults });
    },
    journeyUsers: async () => {
      const { objects } = JourneyUserList.parse(await callJourney('users?limit=1000'));
      return objects.map((user) => ({ ...user, sessions: user.sessions ?? [] }));
    },
  };
}

interface Call {
  readonly method: 'POST' | 'PUT' | 'PATCH';
  readonly body: object | null;
}

async function callApi(url: string, credentials: string, call?: Call): Promise<unknown> {
  const response = await fetch(url, {
    headers: { authorization: `Basic ${btoa(credentials)}`, 'content-type': 'application/json' },
    ...(call && { method: call.method, body: JSON.stringify(call.body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
