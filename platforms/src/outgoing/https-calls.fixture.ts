/**
 * A program that makes each kind of outgoing call to an https address, and prints their outcomes.
 */
import { Secret } from '@portal/kit/secret';
import { createHeliumClient } from '../helium/client.ts';
import { createJourneyClient } from '../journey/client.ts';
import { fetchJiraProjects } from '../projects/client.ts';
import { fetchExternal } from '../roster/fetch-external.ts';
import { useProxies } from './dispatcher.ts';

const [, , baseUrl = ''] = process.argv;
useProxies();

async function outcome(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'answered',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

const token = new Secret('secret');
const credentials = { userName: 'demo', password: 'demo' };
const helium = createHeliumClient({ baseUrl });
const logs = helium.readLog({ appId: 'a', credentials });
const outcomes = {
  calendar: await outcome(fetchExternal('The calendar', `${baseUrl}/rota.ics`, {}, { timeoutMs: 9_000, maxBytes: 99 })),
  jira: await outcome(fetchJiraProjects({ baseUrl, flavor: 'server', token })),
  helium: await outcome(helium.getServiceConfig({ credentials })),
  logs: await outcome(logs[Symbol.asyncIterator]().next()),
  journey: await outcome(
    createJourneyClient({ baseUrl, userName: '5f0c1d2e3a4b5c6d7e8f9a0b', password: token }).info(),
  ),
};
console.log(JSON.stringify(outcomes));
process.exit();
