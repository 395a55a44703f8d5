import { createLogger } from '@portal/kit/logger';
import { migrate } from '@portal/kit/postgres/migrate';
import { createPool, inTransaction, type Pool } from '@portal/kit/postgres/pool';
import { createTestDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import { NotSignedIn, TooMany } from '@portal/kit/problems';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrationsFolder } from '../database/migrations-folder.ts';
import { KnownDevices } from './known-devices.ts';
import { SignInGuard } from './sign-in-guard.ts';

const limits = { failuresPerUser: 2, failuresPerAddress: 4, windowMins: 15 };

let database: TestDatabase;
let pool: Pool;
let devices: KnownDevices;

beforeAll(async () => {
  database = await createTestDatabase();
  await migrate(database.url, migrationsFolder);
  pool = createPool(database.url, { applicationName: 'test', connectTimeoutMs: 60_000 });
  devices = new KnownDevices(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const createGuard = (given = limits) =>
  new SignInGuard({ pool, limits: given, devices, logger: createLogger({ name: 'test', level: 'silent' }) });

interface Try {
  readonly address: string;
  readonly username: string;
  readonly isCorrect: boolean;
}

/** Returns what became of an attempt: accepted, wrong, or delayed. */
async function run(guard: SignInGuard, { address, username, isCorrect }: Try, deviceToken?: string): Promise<string> {
  const password = isCorrect ? 'correct' : crypto.randomUUID();
  const attempt = { environment: 'Production', username, password, address, deviceToken };
  return guard
    .attempt(attempt, async () => {
      if (!isCorrect) throw new NotSignedIn('wrong');
      return { entries: [], skipped: [] };
    })
    .then(
      () => 'accepted',
      (error: unknown) => {
        if (error instanceof NotSignedIn) return 'wrong';
        if (error instanceof TooMany) return 'delayed';
        throw error;
      },
    );
}

const attempts = fc.array(
  fc.record({
    address: fc.constantFrom('192.0.2.1', '192.0.2.2', '2001:db8::1'),
    username: fc.constantFrom('ann', 'bob', 'Ann '),
    isCorrect: fc.boolean(),
  }),
  { maxLength: 25 },
);
/** Parallel or one after the other. */
const runAll = async (guard: SignInGuard, tries: readonly Try[], isParallel: boolean) => {
  if (isParallel) await Promise.all(tries.map((one) => run(guard, one)));
  else for (const one of tries) await run(guard, one);
};

describe('SignInGuard', () => {
  it('never delays a user at an address where this user has not failed', async () => {
    await fc.assert(
      fc.asyncProperty(attempts, fc.boolean(), async (tries, isParallel) => {
        await pool.query('delete from sign_in_failures');
        const guard = createGuard();
        await runAll(guard, tries, isParallel);
        for (const [address, username] of [
          ['192.0.2.3', 'ann'],
          ['2001:db8:0:1::1', 'bob'],
          ['192.0.2.1', 'eve'],
        ] as const)
          expect(await run(guard, { address, username, isCorrect: true })).toBe('accepted');
      }),
      { numRuns: 30 },
    );
  });

  it('never delays a known browser because of attempts without its token', async () => {
    const token = await devices.remember(undefined, 'Production', 'ann');
    await fc.assert(
      fc.asyncProperty(attempts, fc.boolean(), async (tries, isParallel) => {
        await pool.query('delete from sign_in_failures');
        const guard = createGuard();
        await runAll(guard, tries, isParallel);
        expect(await run(guard, { address: '192.0.2.1', username: 'ann', isCorrect: true }, token)).toBe('accepted');
      }),
      { numRuns: 30 },
    );
  });

  it('resets the failures of a user at a success, and allows a correct attempt after 30 s at most', async () => {
    await fc.assert(
      fc.asyncProperty(attempts, async (tries) => {
        await pool.query('delete from sign_in_failures');
        const guard = createGuard();
        await runAll(guard, tries, false);
        await pool.query("update sign_in_failures set last_failed_at = last_failed_at - interval '30 seconds'");
        const ann = { address: '192.0.2.1', username: 'ann' };
        expect(await run(guard, { ...ann, isCorrect: true })).toBe('accepted');
        expect(await run(guard, { ...ann, isCorrect: false })).toBe('wrong');
      }),
      { numRuns: 30 },
    );
  });

  it('accepts a correct password while an earlier attempt with it hangs', async () => {
    const guard = createGuard();
    let respond: () => void = () => undefined;
    const response = new Promise<{ entries: []; skipped: [] }>((resolve) => {
      respond = () => resolve({ entries: [], skipped: [] });
    });
    const ann = { environment: 'Production', username: 'ann', password: 'correct', address: '192.0.2.9' };
    const hanging = guard.attempt({ ...ann, deviceToken: undefined }, () => response);
    expect(await run(guard, { ...ann, isCorrect: true })).toBe('accepted');
    respond();
    expect(await hanging).toEqual({ entries: [], skipped: [] });
  });

  it('counts failures on several nodes during cleanups without a deadlock', async () => {
    // The windows have already ended, so that cleanups delete the rows that the attempts change.
    const nodes = Array.from({ length: 3 }, () => createGuard({ ...limits, windowMins: -1 }));
    const failing = Array.from({ length: 300 }, (_, index) => ({
      address: `192.0.2.${index % 3}`,
      username: `user-${index % 10}`,
      isCorrect: false,
    }));
    const results = nodes.flatMap((node) => failing.map((one) => run(node, one)));
    const cleanups = nodes.flatMap((node) => Array.from({ length: 50 }, () => node.removeExpired()));
    const [outcomes] = await Promise.all([Promise.all(results), Promise.all(cleanups)]);
    expect(new Set(outcomes)).toEqual(new Set(['wrong']));
  });

  it('does not wait for counters that an attempt has locked when it deletes expired ones', async () => {
    await pool.query('delete from sign_in_failures');
    const guard = createGuard({ ...limits, windowMins: -1 });
    await run(guard, { address: '192.0.2.1', username: 'ann', isCorrect: false });
    const count = async () => (await pool.query('select from sign_in_failures')).rowCount;
    await inTransaction(pool, async (client) => {
      await client.query("select from sign_in_failures where subject like 'user %' for update");
      await guard.removeExpired();
      expect(await count()).toBe(1);
    });
    await guard.removeExpired();
    expect(await count()).toBe(0);
  });
});
