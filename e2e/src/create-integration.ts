import type { App } from '@portal/contract/apps';
import { getSyncBase, getSyncSocketPaths, withBase } from '@portal/contract/sync/base';
import { getTemplate } from '@portal/contract/sync/config';
import { listIntegrations } from '@portal/contract/sync/integration';
import type { Page } from 'playwright-core';

const environment = 'Production';

/** An address where nothing listens. */
export const journeyAddress = 'http://127.0.0.1:1/api/v4/';

/**
 * Saves a disabled integration for an app without one, as the form would, with the session of the
 * page. Nothing has to run for it.
 */
export async function createIntegration(page: Page, { id }: Pick<App, 'id'>, dataSource: string): Promise<void> {
  const base = getSyncBase(environment);
  const headers = { origin: new URL(page.url()).origin };
  const list = await page.request.post(withBase(base, listIntegrations).path, { data: {}, headers });
  if (listIntegrations.response.parse(await list.json()).some((integration) => integration.id === id)) return;
  const data = { uuid: id, dataSource, journeyUserMode: 'user' };
  const response = await page.request.post(withBase(base, getTemplate).path, { data, headers });
  const template = getTemplate.response.parse(await response.json());
  const [userName, password] = ['5f0000000000000000000001', 'sesame'];
  const journey = {
    ...template.journey,
    appId: userName,
    baseUrl: `${journeyAddress}${userName}`,
    restAPICredentials: { userName, password },
  };
  const message = JSON.stringify({ type: 'MERGE', appId: id, config: { ...template, enabled: false, journey } });
  const [path] = getSyncSocketPaths(base);
  const reply = await page.evaluate(
    ({ path, message }) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(new URL(path, location.href.replace(/^http/, 'ws')));
        socket.onopen = () => socket.send(message);
        socket.onmessage = ({ data }) => resolve(String(data));
        socket.onclose = ({ code, reason }) => resolve(`closed with ${code} ${reason}`);
      }),
    { path, message },
  );
  if (!reply.includes('Saved')) throw new Error(reply);
}
