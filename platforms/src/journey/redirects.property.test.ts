/** Journey's credentials never leave its origin, whatever redirects lead to a file. */
import { Secret } from '@portal/kit/secret';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createJourneyClient } from './client.ts';
import { createPhoto } from './create-photo.fixture.ts';
import { plain, type ScriptedServer, startScriptedServer } from './scripted-server.fixture.ts';

const photo = createPhoto(100);
let journey: ScriptedServer;
let listed: ScriptedServer;
let unlisted: ScriptedServer;
beforeAll(async () => {
  [journey, listed, unlisted] = await Promise.all([
    startScriptedServer(),
    startScriptedServer(),
    startScriptedServer(),
  ]);
});
afterAll(() => Promise.all([journey.stop(), listed.stop(), unlisted.stop()]));

const place = fc.constantFrom<'journey' | 'listed' | 'unlisted'>('journey', 'journey', 'listed', 'listed', 'unlisted');
const hop = fc.record({
  place,
  /** How the address is written. */
  form: fc.constantFrom('plain', 'user and password', 'upper case', 'backslashes', 'fragment'),
  status: fc.constantFrom(301, 302, 303, 307, 308),
});

it('never sends credentials to another origin, and none after the first other origin', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hop, { maxLength: 7 }), async (hops) => {
      const servers = { journey, listed, unlisted };
      const addresses = hops.map(({ place, form }, index) => write(`${servers[place].origin}/${index}`, form));
      for (const server of Object.values(servers)) {
        server.play((response, request, socket) => {
          const next = request.path === '/start' ? 0 : Number(request.path.slice(1)) + 1;
          const location = addresses[next];
          const answer =
            location === undefined
              ? plain(photo, 200, { 'content-type': 'image/jpeg' })
              : plain('', hops[next]?.status, { location });
          answer(response, request, socket);
        });
      }
      const client = createJourneyClient({
        baseUrl: `${journey.origin}/api/v4/5f0c1d2e3a4b5c6d7e8f9a0b`,
        userName: '5f0c1d2e3a4b5c6d7e8f9a0b',
        password: new Secret('secret'),
        fileHosts: [new URL(listed.origin).host],
      });
      const isAllowed = hops.length <= 5 && hops.every(({ place }) => place !== 'unlisted');
      const arrived = await client.attachment(`${journey.origin}/start`, { kind: 'photo' }).then(
        () => true,
        () => false,
      );
      expect(arrived).toBe(isAllowed);
      expect(unlisted.seen).toEqual([]);
      const hasCredentials = ({ headers }: ScriptedServer['seen'][number]) => headers.authorization !== undefined;
      expect(listed.seen.filter(hasCredentials)).toEqual([]);
      const left = hops.findIndex(({ place }) => place !== 'journey');
      const trusted = Math.min(left < 0 ? hops.length : left, 5) + 1;
      expect(journey.seen.filter(hasCredentials)).toHaveLength(trusted);
    }),
    { numRuns: 100 },
  );
});

function write(address: string, form: string): string {
  if (form === 'user and password') return address.replace('http://', 'http://user:password@');
  if (form === 'upper case') return address.replace('http', 'HTTP');
  if (form === 'backslashes') return address.replaceAll('/', '\\');
  return form === 'fragment' ? `${address}#part` : address;
}
