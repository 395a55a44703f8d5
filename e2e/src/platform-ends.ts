/** Both platforms behind an integration of the demonstration, asked past the portal. */
import { getEnvironments } from '@portal/contract/environments';
import { type JourneyUser, JourneyUserList } from '@portal/platforms/journey/user-wire';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { configOf, journeyPassword } from './sync-form-steps.ts';

const heliumRecord = z.object({
  uuid: z.string(),
  attributes: z.record(z.string(), z.unknown()),
  relationships: z.record(z.string(), z.string()),
});
type HeliumRecord = z.infer<typeof heliumRecord>;

const journeyObject = z.looseObject({ id: z.string() });

export interface PlatformEnds {
  readonly journeyUrl: string;
  /** They throw what the platform says when there is no such record. */
  inHelium(object: string, id: string): Promise<HeliumRecord>;
  inJourney(model: string, id: string): Promise<z.infer<typeof journeyObject>>;
  heliumIds(object: string): Promise<string[]>;
  /** Creates the record where there is none. */
  editHelium(object: string, id: string, attributes: Readonly<Record<string, unknown>>): Promise<void>;
  journeyUsers(): Promise<readonly JourneyUser[]>;
}

export async function platformEndsOf(page: Page, environment: string, appId: string): Promise<PlatformEnds> {
  const environments = getEnvironments.answers.parse(await (await page.request.get(getEnvironments.path)).json());
  const baseUrl = environments.find(({ name }) => name === environment)?.baseUrl ?? '';
  const { journey } = await configOf(page, appId, environment);
  const { userName } = journey.restAPICredentials;
  const heliumUrl = `${baseUrl}/api/data/v1/${appId}/`;
  const journeyUrl = journey.baseUrl.replace(/\/?$/, '/');
  const askHelium = (path: string, sent?: object) => ask(heliumUrl + path, 'demo:demo', sent);
  const askJourney = (path: string) => ask(journeyUrl + path, `${userName}:${journeyPassword}`);
  return {
    journeyUrl: journey.baseUrl,
    inHelium: async (object, id) => heliumRecord.parse(await askHelium(`${object}/${id}`)),
    inJourney: async (model, id) => journeyObject.parse(await askJourney(`objects/${model}/${id}.json`)),
    heliumIds: async (object) =>
      z
        .array(heliumRecord)
        .parse(await askHelium(object))
        .map(({ uuid }) => uuid),
    async editHelium(object, id, attributes) {
      await askHelium(`${object}/${id}`, { attributes });
    },
    journeyUsers: async () => JourneyUserList.parse(await askJourney('users?limit=1000')).objects,
  };
}

async function ask(url: string, credentials: string, sent?: object): Promise<unknown> {
  const answer = await fetch(url, {
    method: sent ? 'POST' : 'GET',
    headers: { authorization: `Basic ${btoa(credentials)}`, 'content-type': 'application/json' },
    ...(sent && { body: JSON.stringify(sent) }),
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
