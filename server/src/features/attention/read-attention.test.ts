import { Writable } from 'node:stream';
import type { AttentionItem } from '@portal/contract/attention';
import { createLogger } from '@portal/kit/logger';
import { NotSignedIn, Unreachable } from '@portal/kit/problems';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { configSchema } from '../../config.ts';
import { Environments } from '../../platform/environments.ts';
import type { Caller } from '../../session/caller.ts';
import type { AttentionResult, AttentionSource } from './attention-source.ts';
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
  isReadOnly: false,
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

const source = (findItems: AttentionSource['findItems']): AttentionSource => ({
  action: 'apps.view',
  subject: 'the apps',
  findItems,
});
const { signal: staying } = new AbortController();
const read = (...found: AttentionSource['findItems'][]) =>
  readAttention(caller, { sources: found.map(source), logger, timeoutMs: 1, graceMs: 1, signal: staying });

const item = (change: Partial<AttentionItem> = {}): AttentionItem => ({
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
    expect(await read(never, async () => found)).toMatchObject({
      items: found.items,
      problems: ['Checking the apps took too long.'],
    });
  });

  it('the same problem is reported once', async () => {
    const unreachable = async () => {
      throw new Unreachable('The platform is unreachable.');
    };
    expect(await read(unreachable, async () => found, unreachable)).toMatchObject({
      items: found.items,
      problems: ['The platform is unreachable.'],
    });
  });

  it('an internal error is reported with the request id and no details', async () => {
    const broken = async () => {
      throw new TypeError('password is hunter2');
    };
    expect(await read(broken, async () => found)).toMatchObject({
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
      item({ kind: 'roster-gap', at: '2026-01-06T09:00:00.000Z' }),
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
