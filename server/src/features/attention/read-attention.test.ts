import { Writable } from 'node:stream';
import type { Attention } from '@portal/contract/attention';
import { createLogger } from '@portal/kit/logger';
import { NotSignedIn, Unreachable } from '@portal/kit/problems';
import { Silent } from '@portal/platforms/reachability';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { configSchema } from '../../config.ts';
import { Environments } from '../../platform/environments.ts';
import type { Caller } from '../../session/caller.ts';
import type { AttentionResult, AttentionSource } from './attention-source.ts';
import { checkApps, limitApps } from './check-apps.ts';
import { type AppMemory, LastFound } from './last-found.ts';
import { readAttention } from './read-attention.ts';

const { environments } = configSchema.parse({
  environments: [{ name: 'Production', baseUrl: 'http://127.0.0.1:1' }],
  databaseUrl: 'postgres://127.0.0.1:1/portal',
});
const caller: Caller = {
  username: 'demo',
  environment: new Environments(environments, { timeoutMs: 1_000 }).require({}),
  origin: { address: '127.0.0.1', userAgent: null, requestId: 'request-7' },
  sessionId: null,
  expiresAt: null,
  credentials: () => ({ userName: 'demo', password: 'demo' }),
  apps: async () => ({ apps: [], byId: new Map(), skipped: [], readAt: new Date() }),
  record: async () => undefined,
};

let logged = '';
beforeEach(() => {
  logged = '';
});
const destination = new Writable({
  write(chunk, _encoding, done) {
    logged += chunk;
    done();
  },
});
const logger = createLogger({ name: 'server', level: 'info', destination });

const source = (check: AttentionSource['check']): AttentionSource => ({
  action: 'apps.view',
  subject: 'the apps',
  check,
});
const { signal: staying } = new AbortController();
const read = (...checks: AttentionSource['check'][]) =>
  readAttention(caller, { sources: checks.map(source), logger, timeoutMs: 1, graceMs: 1, signal: staying });

const item = (change: Partial<Attention> = {}): Attention => ({
  kind: 'disabled-app',
  title: 'Stock Room',
  detail: 'Disabled.',
  at: null,
  route: '/config/1',
  ...change,
});
const found: AttentionResult = { items: [item()], problems: [] };
const never = () => new Promise<never>(() => undefined);

describe('attention sources', () => {
  it('a slow source does not delay the others', async () => {
    expect(await read(never, async () => found)).toEqual({
      items: found.items,
      problems: ['Checking the apps took too long.'],
    });
  });

  it('the same problem is reported once', async () => {
    const unreachable = async () => {
      throw new Unreachable('The platform is unreachable.');
    };
    expect(await read(unreachable, async () => found, unreachable)).toEqual({
      items: found.items,
      problems: ['The platform is unreachable.'],
    });
  });

  it('an internal error is reported with the request id and no details', async () => {
    const broken = async () => {
      throw new TypeError('password is hunter2');
    };
    expect(await read(broken, async () => found)).toEqual({
      items: found.items,
      problems: ['Could not check the apps because of an internal error (request id request-7).'],
    });
    expect(logged).toContain('TypeError');
  });

  it('rejected credentials are not hidden as a problem', async () => {
    const refused = async () => {
      throw new NotSignedIn('No.');
    };
    await expect(read(refused, async () => found)).rejects.toMatchObject({ name: 'NotSignedIn' });
  });

  it('items have a fixed order, whichever source returns first', async () => {
    const ordered = [
      item({ kind: 'deployment', at: '2026-01-05T08:00:00.000Z' }),
      item({ kind: 'deployment', at: '2026-01-05T16:00:00.000Z' }),
      item({ kind: 'failing-function', at: '2026-01-05T09:00:00.000Z' }),
      item({ kind: 'failing-function', at: '2026-01-04T09:00:00.000Z' }),
      item({ title: 'A' }),
      item({ title: 'B' }),
      item({ kind: 'locked-app' }),
      item({ kind: 'roster-gap', at: '2026-01-05T09:00:00.000Z' }),
    ];
    const shuffled = fc.shuffledSubarray(ordered, { minLength: ordered.length });
    await fc.assert(
      fc.asyncProperty(shuffled, async (items) => {
        expect((await read(async () => ({ items, problems: [] }))).items).toEqual(ordered);
      }),
    );
  });
});

describe('abandoned look', () => {
  it('stops its sources and throws the reason', async () => {
    const leaving = new AbortController();
    let seen: AbortSignal | undefined;
    const pending = readAttention(caller, {
      sources: [
        source((_, signal) => {
          seen = signal;
          return never();
        }),
      ],
      logger,
      timeoutMs: 60_000,
      graceMs: 1,
      signal: leaving.signal,
    });
    leaving.abort(new Error('gone'));
    await expect(pending).rejects.toThrow('gone');
    expect(seen?.reason).toMatchObject({ message: 'gone' });
  });
});

describe('checking apps', () => {
  const apps = ['1', '2', '3', '4', '5'].map((id) => ({ id, name: id, fqdn: '', schemaName: '' }));
  const subject = 'the configuration';
  const system = { silence: undefined };
  const memory: AppMemory = { remember: () => undefined, recall: () => ({ items: [], note: '' }) };

  it('returns what was checked in time, and how many apps are missing', async () => {
    const ending = new AbortController();
    const pending = checkApps(
      apps,
      async ({ id }) => {
        if (id === '2') throw new Unreachable('Two is unreachable.');
        if (id === '4') ending.abort();
        return id === '4' ? never() : [item({ title: id })];
      },
      { subject, concurrency: 1, signal: ending.signal, system, memory },
    );
    expect(await pending).toEqual({
      items: [item({ title: '1' }), item({ title: '3' })],
      problems: [
        'For 1 of 5 apps, the configuration could not be read: Two is unreachable.',
        'For 2 of 5 apps, the configuration could not be read in time.',
      ],
    });
  });

  it('checks each app once and respects the concurrency limit', async () => {
    const concurrency = fc.integer({ min: 1, max: 7 });
    await fc.assert(
      fc.asyncProperty(concurrency, async (concurrency) => {
        let asking = 0;
        const checked: string[] = [];
        const { signal } = new AbortController();
        await checkApps(
          apps,
          async ({ id }) => {
            checked.push(id);
            asking += 1;
            expect(asking).toBeLessThanOrEqual(concurrency);
            await Promise.resolve();
            asking -= 1;
            return [];
          },
          { subject, concurrency, signal, system, memory },
        );
        expect(checked).toEqual(apps.map(({ id }) => id));
      }),
    );
  });

  it('shows what was last found of the apps of a silent system, with its age, and the silence once', async () => {
    const memory = new LastFound().forCaller(caller, 'platform');
    const { signal } = new AbortController();
    const silence = new Silent('The platform has not answered since 16:55.');
    const check = (silence: Silent | undefined, findItems: (id: string) => Attention[]) =>
      checkApps(apps, async ({ id }) => findItems(id), {
        subject,
        concurrency: 2,
        signal,
        system: { silence },
        memory,
      });
    await check(undefined, (id) => (id === '5' ? [] : [item({ title: `old ${id}` })]));
    await check(undefined, (id) => (id === '4' ? [] : [item({ title: `new ${id}` })]));
    const { items, problems } = await check(silence, (id) => {
      if (id === '1') return [item({ title: 'now 1' })];
      throw id === '2' ? new Unreachable('The platform did not respond in time.') : silence;
    });
    expect(items.map(({ title }) => title)).toEqual(['now 1', 'new 2', 'new 3', 'new 5']);
    expect(problems).toEqual([
      expect.stringMatching(
        /^The platform has not answered since 16:55\. What is shown of these apps is from \d\d:\d\d\.$/,
      ),
    ]);
  });

  it('shows a caller nothing that was found for another one', async () => {
    const lastFound = new LastFound();
    const [app] = apps;
    if (!app) throw new Error('there is no app');
    lastFound.forCaller(caller, 'platform').remember(app, [item()]);
    expect(lastFound.forCaller({ ...caller, username: 'other' }, 'platform').recall([app])).toEqual({
      items: [],
      note: '',
    });
  });

  it('checks at most 500 apps and reports the rest', () => {
    const many = Array.from({ length: 501 }, (_, id) => ({ id: `${id}`, name: '', fqdn: '', schemaName: '' }));
    expect(limitApps(many)).toEqual({
      apps: many.slice(0, 500),
      problems: ['Only the first 500 of 501 apps were checked.'],
    });
    expect(limitApps(apps)).toEqual({ apps, problems: [] });
  });

  it('rethrows an internal error', async () => {
    const broken = async () => {
      throw new TypeError('no');
    };
    const { signal } = new AbortController();
    await expect(checkApps(apps, broken, { subject, concurrency: 2, signal, system, memory })).rejects.toThrow(
      TypeError,
    );
  });
});
