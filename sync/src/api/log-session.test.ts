import { setEnabled } from '@portal/contract/sync/integration';
import { syncBatchFrameSchema, syncSocketReplySchema } from '@portal/contract/sync/socket';
import type { TestDatabase } from '@portal/kit/postgres/test-database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { appendLines, maxStoredLines, type NewLine } from '../portal-store/log.store.ts';
import {
  configFor,
  createSyncDatabase,
  startTestService,
  type TestApp,
  type TestService,
  type TestSocket,
  until,
} from '../service.fixture.ts';

let database: TestDatabase;
let test: TestService;
/** A second process over the same database. */
let other: TestService;
let app: TestApp;
let id: string;
let count = 0;

beforeAll(async () => {
  database = await createSyncDatabase();
  test = await startTestService(database.url);
  other = await startTestService(database.url);
});
afterAll(async () => {
  await Promise.all([test.stop(), other.stop()]);
  await database.drop();
});
beforeEach(async () => {
  count += 1;
  app = { id: `app-${count}`, name: `App ${count}`, schemaName: `schema_${count}` };
  await test.merge(configFor(app), app);
  const { rows } = await test.parts.pool.query('select id from sync.integration where app_id = $1', [app.id]);
  id = rows[0].id;
});

const createLines = (first: number, lines: number): NewLine[] =>
  Array.from({ length: lines }, (_, index) => ({
    id,
    atMs: 1_700_000_000_000,
    key: 'TEST',
    value: `line ${first + index}`,
  }));

const watch = (more: object = {}, by = test) => by.socket({ type: 'LOG_SESSION', appId: app.id, ...more });

/** Numbered values received by a plain viewer, without the service's own lines. */
function plainLines({ frames }: TestSocket): { seq: number; value: string }[] {
  return frames.flatMap((frame) => {
    const { seq = 0, key, value } = syncSocketReplySchema.parse(frame);
    return key === 'TEST' ? [{ seq, value }] : [];
  });
}

function batchLines({ frames }: TestSocket): { seq: number; value: string }[] {
  return frames.flatMap((frame) => {
    const read = syncBatchFrameSchema.parse(frame);
    if (read.type !== 'lines') return [];
    return read.lines.flatMap(([, key, value], index) => (key === 'TEST' ? [{ seq: read.seq + index, value }] : []));
  });
}

const values = (first: number, lines: number) => createLines(first, lines).map(({ value }) => value);
const getValues = (lines: { value: string }[]) => lines.map(({ value }) => value);

async function metrics(): Promise<string> {
  const headers = { authorization: `Bearer ${test.parts.token.reveal()}` };
  return (await fetch(`${test.service.address}/metrics`, { headers })).text();
}

describe('log session', () => {
  it('replays the existing lines, then streams new ones, whichever process writes them', async () => {
    await appendLines(other.parts.pool, createLines(1, 3));
    const plain = watch();
    const batch = watch({ batch: true }, other);
    await until(() => plainLines(plain).length === 3 && batchLines(batch).length === 3);
    await appendLines(test.parts.pool, createLines(4, 1200));
    await until(() => plainLines(plain).length === 1203 && batchLines(batch).length === 1203);
    expect(getValues(plainLines(plain))).toEqual(values(1, 1203));
    expect(batchLines(batch)).toEqual(plainLines(plain));
    plain.socket.close();
    batch.socket.close();
  });

  it('resumes after a given line without losing or repeating any', async () => {
    await appendLines(test.parts.pool, createLines(1, 7000));
    const first = watch({ batch: true });
    await until(() => batchLines(first).length === 5000);
    expect(getValues(batchLines(first))).toEqual(values(2001, 5000));
    first.socket.close();
    const had = batchLines(first).find(({ value }) => value === 'line 5678')?.seq ?? 0;
    await appendLines(other.parts.pool, createLines(7001, 5));
    const second = watch({ batch: true, after: had });
    await until(() => batchLines(second).length === 7005 - 5678);
    expect(getValues(batchLines(second))).toEqual(values(5679, 7005 - 5678));
    second.socket.close();
    // Older than the cached window.
    const third = watch({ batch: true, after: had - 5000 });
    await until(() => batchLines(third).length === 7005 - 678);
    expect(getValues(batchLines(third))).toEqual(values(679, 7005 - 678));
    expect(third.frames.some((frame) => syncBatchFrameSchema.parse(frame).type === 'gap')).toBe(false);
    third.socket.close();
  });

  it('reports how many lines were deleted, and an unknown line number as a gap', async () => {
    await appendLines(test.parts.pool, createLines(1, maxStoredLines));
    await appendLines(test.parts.pool, createLines(maxStoredLines + 1, 3000));
    const { rows } = await test.parts.pool.query(
      'select count(*)::int as stored from sync.log where integration_id = $1',
      [id],
    );
    expect(rows[0].stored).toBeGreaterThanOrEqual(maxStoredLines);
    expect(rows[0].stored).toBeLessThan(maxStoredLines + 1000);
    const old = watch({ batch: true, after: 5 });
    await until(() => batchLines(old).length >= maxStoredLines);
    const gap = old.frames.map((frame) => syncBatchFrameSchema.parse(frame)).find(({ type }) => type === 'gap');
    const [first] = batchLines(old);
    expect(gap).toEqual({ type: 'gap', nextSeq: first?.seq, lines: (first?.seq ?? 0) - 6 });
    old.socket.close();
    const strange = watch({ batch: true, after: 99_999_999 });
    await until(() => batchLines(strange).length === 5000);
    expect(strange.frames[0]).toMatchObject({ type: 'gap', lines: null });
    strange.socket.close();
  });

  it('shares one tail between many viewers', async () => {
    const viewers = Array.from({ length: 50 }, () => watch({ batch: true }));
    await appendLines(test.parts.pool, createLines(1, 10));
    await until(() => viewers.every((viewer) => batchLines(viewer).length === 10));
    expect(await metrics()).toContain('sync_log_viewers 50');
    for (const { socket } of viewers) socket.close();
    await Promise.all(viewers.map(({ closed }) => closed));
    await until(async () => (await metrics()).includes('sync_log_viewers 0'));
  });

  it('leaves lines for a slow viewer in the table instead of memory, and sends them when it reads again', async () => {
    const slow = watch({ batch: true });
    await until(() => slow.frames.length > 0);
    slow.socket.pause();
    const big = 'x'.repeat(9_000);
    for (let round = 0; round < 7; round += 1) {
      const lines = createLines(round * 1000 + 1, 1000).map((line) => ({ ...line, value: `${line.value} ${big}` }));
      await appendLines(test.parts.pool, lines);
    }
    const fast = watch({ batch: true, after: 0 });
    await until(() => batchLines(fast).length === 7000);
    fast.socket.close();
    const [, buffered] = (await metrics()).match(/^sync_log_buffered_bytes (\d+)$/m) ?? [];
    expect(Number(buffered)).toBeGreaterThan(0);
    expect(Number(buffered)).toBeLessThan(4 * 1024 * 1024);
    slow.socket.resume();
    await until(() => batchLines(slow).length === 7000);
    expect(batchLines(slow)).toEqual(batchLines(fast));
    slow.socket.close();
  });

  it('refuses the log of a disabled integration with an explanatory line', async () => {
    await test.call(setEnabled, { appIds: [app.id], enabled: false });
    const { frames, closed } = watch();
    expect(await closed).toEqual({ code: 4409, reason: 'Integration Disabled' });
    expect(frames).toEqual([
      { value: 'The logs of a disabled integration cannot be streamed.', key: 'WARNING', millis: expect.any(Number) },
      { value: 'Integration Disabled', failed: true },
    ]);
  });

  it('ends when the integration is disabled or deleted, by any process', async () => {
    const first = watch();
    await until(() => first.frames.length > 0);
    await other.call(setEnabled, { appIds: [app.id], enabled: false });
    expect(await first.closed).toMatchObject({ code: 4409 });
    await test.call(setEnabled, { appIds: [app.id], enabled: true });
    const second = watch();
    await until(() => second.frames.length > 0);
    await other.destroy(app.id);
    expect(await second.closed).toEqual({ code: 4404, reason: 'The integration was deleted.' });
  });
});

describe('sync socket', () => {
  it.each([
    ['not JSON', 4400],
    ['null', 4400],
    [{ type: 'SHUTDOWN', appId: 'x' }, 4400],
    [{ type: 'LOG_SESSION' }, 4400],
    [{ type: 'LOG_SESSION', appId: 'unknown' }, 4404],
    [`{"type":"MERGE","config":"${'x'.repeat(310 * 1024)}"}`, 1009],
  ])('closes on %j with %d', async (frame, code) => {
    expect(await test.socket(frame).closed).toMatchObject({ code });
  });

  it('rejects an integration of another environment', async () => {
    const frame = { type: 'LOG_SESSION', appId: app.id };
    expect(await test.socket(frame, { environment: 'Staging' }).closed).toMatchObject({ code: 4404 });
  });
});
