import { getResidentMb } from '@portal/e2e/processes';
import { benchUsers } from './bench-users.ts';
import { startChild } from './child.ts';
import { count, type Figure, median } from './figures.ts';
import type { LineCounts, Order } from './log-viewers.ts';
import type { System } from './system.ts';

const rounds = 5;
const warmUpMs = 1500;
const measureMs = 4000;
const goal = 0.7;

/**
 * Measures lines per second from the platform through the server to viewers of one app, compared
 * with a relay that only forwards frames. Every part has its own process. Portal and relay read one
 * app each, and only the measured app logs.
 */
export async function measureThroughServer(system: System): Promise<Figure[]> {
  const people = await Promise.all(benchUsers.map((user) => system.signIn(user)));
  const { baseUrl, apps } = await system.signIn();
  const [portalApp, relayApp] = apps;
  if (!portalApp || !relayApp) throw new Error('two apps are needed');
  const viewers = await startChild<true, Order>('./log-viewers.ts', null);
  const relay = await startChild<{ url: string }>('./log-relay.ts', system.logUpstream(relayApp.id));

  const portalUrl = `${system.origin.replace('http', 'ws')}/portal-backend/ws/${portalApp.id}`;
  const headers = people.map(({ cookie }) => ({ cookie, origin: system.origin }));
  const ways = [
    { name: 'batch', appId: portalApp.id, url: portalUrl, headers, hello: { baseUrl, batch: true } },
    { name: 'plain', appId: portalApp.id, url: portalUrl, headers, hello: { baseUrl } },
    { name: 'relay', appId: relayApp.id, url: relay.ready.url, headers: [], hello: null },
  ] as const;

  const figures: Figure[] = [];
  for (const amount of [1, 10, 100]) {
    const counted: Record<(typeof ways)[number]['name'], LineCounts[]> = { batch: [], plain: [], relay: [] };
    const memory: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      for (const { name, appId, ...way } of ways) {
        await viewers.ask({ type: 'open', order: { ...way, viewers: amount } });
        await system.setLoad(appId, 0);
        const sampling = setInterval(() => name !== 'relay' && memory.push(getResidentMb(system.serverPid)), 500);
        counted[name].push(await viewers.ask<LineCounts>({ type: 'count', warmUpMs, measureMs }));
        clearInterval(sampling);
        await system.setLoad(appId, null);
        await viewers.ask({ type: 'close' });
      }
    }
    const peer = median(counted.relay.map(({ linesPerSecond }) => linesPerSecond));
    for (const name of ['batch', 'plain'] as const) {
      const ours = median(counted[name].map(({ linesPerSecond }) => linesPerSecond));
      const dropped = median(counted[name].map(({ droppedPerSecond }) => droppedPerSecond));
      figures.push({
        what: `${amount} ${amount === 1 ? 'viewer' : 'viewers'}, ${name}, lines/s to all`,
        ours: dropped > 0 ? `${count(ours)} (+${count(dropped)} dropped)` : count(ours),
        peer: count(peer),
        ratio: ours / peer,
        goal: `≥ ${goal}`,
        met: ours / peer >= goal,
      });
    }
    const half = memory.length / 2;
    const [early, late] = [median(memory.slice(0, half)), median(memory.slice(half))];
    figures.push({
      what: `${amount} ${amount === 1 ? 'viewer' : 'viewers'}, memory of the server, first and second half`,
      ours: `${count(early)} → ${count(late)} MB`,
      goal: 'flat',
      met: late < early * 1.15,
    });
  }
  await relay.stop();
  await viewers.stop();
  return figures;
}
