import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestClient } from '../../testing/test-client.ts';
import { createTexts, type LogWorld, quickLimits, startLogWorld } from './log-test-world.fixture.ts';

let logs: LogWorld;
let demo: TestClient;

beforeAll(async () => {
  logs = await startLogWorld();
  demo = await logs.signIn('demo', 'demo');
});
afterAll(() => logs.stop());
beforeEach(() => logs.helium.faults.clear());

describe('live logs when the platform fails', () => {
  it('fills in missed lines once after the stream breaks', async () => {
    const viewer = logs.watch(demo);
    await viewer.waitForOpenStream();
    const before = createTexts(10);
    logs.emit(...before);
    await viewer.waitForLine(before[9] ?? '');
    logs.helium.faults.set({ path: '/ws2/logging', mode: 'refuse' });
    logs.helium.cutSockets();
    const waiting = await viewer.waitFor((frame) => frame.type === 'state' && frame.state === 'waiting');
    expect(waiting).toMatchObject({
      message: expect.stringMatching(/Retrying in \d+ s\.$/),
      retryMs: expect.any(Number),
    });
    const missed = createTexts(200);
    logs.emit(...missed);
    logs.helium.faults.clear();
    await viewer.waitFor((frame) => frame.type === 'filled' && frame.lines === 200);
    const after = createTexts(10);
    logs.emit(...after);
    await viewer.waitForLine(after[9] ?? '');
    expect(viewer.lines.slice(-220)).toEqual([...before, ...missed, ...after]);
    expect(viewer.received.filter((frame) => frame.type === 'gap')).toEqual([]);
    await viewer.leave();
  });

  it('delivers every line in order and once when the stream breaks under load', async () => {
    const viewer = logs.watch(demo);
    await viewer.waitForOpenStream();
    const sent: string[] = [];
    const emitLine = () => {
      const next = createTexts(25);
      sent.push(...next);
      logs.emit(...next);
    };
    const talking = setInterval(emitLine, 2);
    for (const cut of [1, 2, 3]) {
      await viewer.waitFor(
        (frame) => frame.type === 'lines' && frame.lines.some(([, , value]) => value === sent.at(-1)),
      );
      logs.helium.cutSockets();
      const isFill = { seen: 0 };
      await viewer.waitFor((frame) => frame.type === 'filled' && ++isFill.seen === cut);
    }
    clearInterval(talking);
    await viewer.waitForLine(sent.at(-1) ?? '');
    expect(viewer.lines.slice(-sent.length)).toEqual(sent);
    await viewer.leave();
  });

  it('marks a gap when the stream breaks and the table cannot be read', async () => {
    await logs.restart();
    const viewer = logs.watch(demo);
    await viewer.waitForOpenStream();
    const before = createTexts(3);
    logs.emit(...before);
    await viewer.waitForLine(before[2] ?? '');
    const { schemaName } = logs.clinic;
    await logs.onDatabase(`alter table ${schemaName}.__logging_log__ rename to hidden`);
    try {
      logs.helium.cutSockets();
      const gap = await viewer.waitFor((frame) => frame.type === 'gap');
      expect(gap).toMatchObject({ gap: { reason: 'platform', lines: null } });
      const [after = ''] = createTexts(1);
      logs.emit(after);
      await viewer.waitForLine(after);
      const numbered = viewer.received.findLast((frame) => frame.type === 'lines');
      expect(numbered).toMatchObject({ seq: gap.type === 'gap' ? gap.nextSeq : 0 });
    } finally {
      await logs.onDatabase(`alter table ${schemaName}.hidden rename to __logging_log__`);
    }
    await viewer.leave();
  });

  it('reports that the platform is down to viewers whose apps it does not know, and serves them once it is up', async () => {
    const { appLists, sessions } = logs.world.server.dependencies;
    for (const { id } of await sessions.list('Production')) appLists.invalidate(id);
    logs.helium.faults.set({ mode: 'refuse' });
    const viewer = logs.watch(demo);
    await viewer.waitFor((frame) => frame.type === 'state' && frame.state === 'waiting');
    await viewer.waitFor(
      (frame) => frame.type === 'state' && frame.state === 'waiting' && frame !== viewer.received[0],
    );
    expect(viewer.received.every((frame) => frame.type === 'state')).toBe(true);
    logs.helium.faults.clear();
    await viewer.waitForOpenStream();
    const sent = createTexts(2);
    logs.emit(...sent);
    await viewer.waitForLine(sent[1] ?? '');
    await viewer.leave();
  });

  it.each(['html', 'error500', 'half-body', 'drop'] as const)(
    'retries when the platform responds to the stream with %s',
    async (mode) => {
      await logs.restart();
      logs.helium.faults.set({ path: '/ws2/logging', mode });
      const viewer = logs.watch(demo);
      const waiting = await viewer.waitFor((frame) => frame.type === 'state' && frame.state === 'waiting');
      expect(waiting).toMatchObject({ message: expect.stringContaining('Retrying in') });
      logs.helium.faults.clear();
      await viewer.waitForOpenStream();
      await viewer.leave();
    },
  );

  it('closes viewers with refused credentials and does not retry with them', async () => {
    await logs.restart();
    logs.helium.faults.set({ path: '/ws2/logging', mode: 'error500', status: 401 });
    const viewer = logs.watch(demo);
    expect(await viewer.closed).toMatchObject({ code: 4502 });
  });
});

describe('live logs of an open viewer', () => {
  it("rechecks the viewer's access and closes it if access was lost", async () => {
    await logs.restart({ ...quickLimits, recheckMs: 20 });
    const viewer = logs.watch(demo);
    await viewer.waitForOpenStream();
    logs.helium.faults.set({ path: '/v2/app', mode: 'error500' });
    const [still = ''] = createTexts(1);
    logs.emit(still);
    await viewer.waitForLine(still);
    // The platform rejects the session, which ends it.
    logs.helium.faults.set({ path: '/v2/app', mode: 'error500', status: 401 });
    expect(await viewer.closed).toMatchObject({ code: 4401 });
    logs.helium.faults.clear();
    demo = await logs.signIn('demo', 'demo');
    await logs.restart();
  });
});

describe('slow log viewer', () => {
  it('loses its oldest lines, counted, while a fast viewer gets all', async () => {
    const narrow = { ...quickLimits.stream.ring, lines: 3_000 };
    await logs.restart({
      ...quickLimits,
      viewer: { ...quickLimits.viewer, bufferedBytes: 64 * 1024 },
      stream: { ...quickLimits.stream, ring: narrow, history: { ...quickLimits.stream.history, lines: 100 } },
    });
    const fast = logs.watch(demo);
    await fast.waitForOpenStream();
    const slow = logs.watch(demo);
    await slow.waitFor((frame) => frame.type === 'hello');
    const start = createTexts(1);
    logs.emit(...start);
    await slow.waitForLine(start[0] ?? '');
    slow.socket.pause();
    const sent = createTexts(25_000).map((text) => `${text} ${'x'.repeat(300)}`);
    for (let from = 0; from < sent.length; from += 1_000) {
      logs.emit(...sent.slice(from, from + 1_000));
      await fast.waitForLine(sent[from + 999] ?? '');
    }
    expect(fast.lines.slice(-sent.length)).toEqual(sent);
    slow.socket.resume();
    await slow.waitForLine(sent.at(-1) ?? '');
    const heard = slow.received;
    const gaps = heard.flatMap((frame) => (frame.type === 'gap' ? [frame.gap] : []));
    expect(gaps.map(({ reason }) => reason)).toEqual(gaps.map(() => 'slow-viewer'));
    const lost = gaps.reduce((sum, { lines }) => sum + (lines ?? Number.NaN), 0);
    const got = slow.lines.slice(slow.lines.indexOf(start[0] ?? '') + 1);
    expect(lost).toBeGreaterThan(0);
    expect(await logs.metric('portal_log_lines_dropped_total')).toBe(lost);
    expect(got.length + lost).toBe(sent.length);
    expect(got.slice(-2_000)).toEqual(sent.slice(-2_000));
    await Promise.all([fast.leave(), slow.leave()]);
    await logs.restart();
  });

  it('disconnects a viewer that no longer responds', async () => {
    await logs.restart({ ...quickLimits, viewer: { ...quickLimits.viewer, heartbeatMs: 20, silentHeartbeats: 3 } });
    const viewer = logs.watch(demo, { batch: true }, { autoPong: false });
    expect(await viewer.closed).toMatchObject({ code: 1006 });
    await logs.restart();
  });
});
