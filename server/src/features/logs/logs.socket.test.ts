import { logMessageSchema } from '@portal/contract/logs';
import { deleteSession } from '@portal/contract/session';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestClient } from '../../testing/test-client.ts';
import { type LogWorld, quickLimits, startLogWorld } from './log-test-world.fixture.ts';

let logs: LogWorld;
let demo: TestClient;

beforeAll(async () => {
  logs = await startLogWorld();
  demo = await logs.signIn('demo', 'demo');
});
afterAll(() => logs.stop());
beforeEach(() => logs.helium.faults.clear());

/** Texts nobody has used before. */
let made = 0;
function texts(count: number): string[] {
  return Array.from({ length: count }, () => {
    made += 1;
    return `line ${made}`;
  });
}

function emit(...values: string[]): void {
  logs.clinic.log(...values.map((value) => ({ key: 'INFO', value })));
}

describe('a viewer', () => {
  it('hears where it starts, that the stream is open, and the lines as they come', async () => {
    const viewer = logs.watch(demo);
    await viewer.streaming();
    const sent = texts(50);
    emit(...sent);
    await viewer.line(sent[49] ?? '');
    const [first] = viewer.heard;
    expect(first).toMatchObject({ type: 'hello', resumed: 'new' });
    expect(viewer.lines.slice(-50)).toEqual(sent);
    await viewer.leave();
  });

  it('gets each line in a frame of its own, as specified, when it asks for nothing else', async () => {
    const ready = logs.watch(demo);
    await ready.streaming();
    const baseUrl = logs.world.baseUrl;
    const before = texts(2);
    emit(...before);
    await ready.line(before[1] ?? '');
    const plain = logs.watch(demo, { baseUrl, credentials: { userName: 'demo', password: 'demo' } });
    await plain.count(2);
    const after = texts(3);
    logs.clinic.log(...after.map((value, index) => ({ key: 'SEVERE', value, millis: 1_700_000_000_000 + index })));
    while (!plain.frames.at(-1)?.includes(after[2] ?? '')) await plain.count(plain.frames.length + 1);
    const messages = plain.frames.map((frame) => JSON.parse(frame));
    for (const message of messages) {
      logMessageSchema.parse(message);
      expect(Object.keys(message)).toEqual(['millis', 'key', 'value']);
    }
    expect(messages.slice(-3)).toEqual(
      after.map((value, index) => ({ millis: 1_700_000_000_000 + index, key: 'SEVERE', value })),
    );
    await Promise.all([plain.leave(), ready.leave()]);
  });

  it('shares one stream of the platform with nine others, and all hear the same', async () => {
    const viewers = Array.from({ length: 10 }, () => logs.watch(demo));
    await Promise.all(viewers.map((viewer) => viewer.streaming()));
    expect(logs.clinic.viewers()).toBe(1);
    expect(await logs.metric('portal_log_viewers')).toBe(10);
    expect(await logs.metric('portal_log_upstreams')).toBe(1);
    const before = await logs.metric('portal_log_lines_sent_total');
    const sent = texts(500);
    emit(...sent);
    for (const viewer of viewers) {
      await viewer.line(sent[499] ?? '');
      expect(viewer.lines.slice(-500)).toEqual(sent);
    }
    expect((await logs.metric('portal_log_lines_sent_total')) - before).toBe(5_000);
    await Promise.all(viewers.map((viewer) => viewer.leave()));
  });

  it('hears of a newcomer nothing, and a newcomer hears the last lines at once', async () => {
    const old = logs.watch(demo);
    await old.streaming();
    const sent = texts(20);
    emit(...sent);
    await old.line(sent[19] ?? '');
    const heard = old.frames.length;
    const newcomer = logs.watch(demo);
    await newcomer.line(sent[19] ?? '');
    expect(newcomer.lines.slice(-20)).toEqual(sent);
    expect(old.frames.length).toBe(heard);
    await Promise.all([old.leave(), newcomer.leave()]);
  });

  it('that comes first hears what the app has logged before', async () => {
    await logs.restart();
    const sent = texts(20);
    emit(...sent);
    await logs.clinic.logWritten();
    const viewer = logs.watch(demo);
    await viewer.line(sent[19] ?? '');
    expect(viewer.lines.slice(-20)).toEqual(sent);
    await viewer.leave();
  });
});

describe('cut off from the portal', () => {
  it('a viewer resumes behind its last line: nothing lost, nothing twice', async () => {
    const viewer = logs.watch(demo);
    const other = logs.watch(demo);
    await viewer.streaming();
    const before = texts(10);
    emit(...before);
    await viewer.line(before[9] ?? '');
    const after = viewer.position;
    await viewer.leave();
    const meanwhile = texts(10);
    emit(...meanwhile);
    await other.line(meanwhile[9] ?? '');
    const again = logs.watch(demo, { batch: true, after });
    const last = texts(1);
    emit(...last);
    await again.line(last[0] ?? '');
    expect(again.heard[0]).toMatchObject({ type: 'hello', resumed: 'nothing-lost', nextSeq: after.seq + 1 });
    expect(again.lines).toEqual([...meanwhile, ...last]);
    await Promise.all([again.leave(), other.leave()]);
  });

  it('by a restart of the server, it goes on by time: nothing lost, nothing twice', async () => {
    const viewer = logs.watch(demo);
    await viewer.streaming();
    const before = texts(30);
    emit(...before);
    await viewer.line(before[29] ?? '');
    const after = viewer.position;
    await logs.restart();
    expect(await viewer.closed).toMatchObject({ code: 1001 });
    const meanwhile = texts(30);
    emit(...meanwhile);
    await logs.clinic.logWritten();
    const again = logs.watch(demo, { batch: true, after });
    const last = texts(1);
    await again.streaming();
    emit(...last);
    await again.line(last[0] ?? '');
    expect(again.heard.find((frame) => frame.type === 'hello')).toMatchObject({ resumed: 'nothing-lost' });
    expect(again.lines).toEqual([...meanwhile, ...last]);
    await again.leave();
  });
});

describe('who may not', () => {
  it.each([
    ['another site', 'https://evil.example', 403],
    ['a sandboxed page', 'null', 403],
  ])('is refused before the socket opens: %s', async (_, origin, status) => {
    const viewer = logs.watch(demo, { batch: true }, { headers: { origin } });
    const answered = await new Promise((resolve) =>
      viewer.socket.on('unexpected-response', (_request, response) => resolve(response.statusCode)),
    );
    expect(answered).toBe(status);
  });

  it('is told that nobody is signed in', async () => {
    expect(await logs.watch(null).closed).toMatchObject({ code: 4401 });
  });

  it('is told that the app is none of theirs, as if it did not exist', async () => {
    const dev = await logs.signIn('health.dev', 'health');
    const farm = logs.helium.app('Farm Inputs').id;
    const foreign = await logs.watch(dev, { batch: true }, { appId: farm }).closed;
    const unknown = await logs.watch(dev, { batch: true }, { appId: 'no-such-app' }).closed;
    expect(foreign.code).toBe(4404);
    expect(unknown).toEqual({ code: 4404, reason: foreign.reason.replace(farm, 'no-such-app') });
    expect(logs.helium.app('Farm Inputs').viewers()).toBe(0);
  });

  it.each([
    ['no JSON', 'hello', 4400],
    ['no object', '[]', 4400],
    ['a wrong type', '{"batch":"yes"}', 4400],
    ['null', 'null', 4400],
    ['binary', Buffer.from('{}'), 4400],
    ['a frame beyond the limit', `{"batch":true,"x":"${'x'.repeat(100_000)}"}`, 1009],
    ['another environment', '{"baseUrl":"https://elsewhere.example"}', 4400],
    ['another user', '{"credentials":{"userName":"health.dev","password":"health"}}', 4403],
    ['a position of nonsense', '{"batch":true,"after":{"stream":5}}', 4400],
  ])('is closed with the code that says why: %s', async (_, hello, code) => {
    expect(await logs.watch(demo, hello).closed).toMatchObject({ code });
  });

  it('says nothing for too long', async () => {
    await logs.restart({ ...quickLimits, helloMs: 20 });
    expect(await logs.watch(demo, null).closed).toMatchObject({ code: 4400 });
    await logs.restart();
  });

  it('says more than the first frame', async () => {
    const viewer = logs.watch(demo);
    await viewer.streaming();
    viewer.socket.send('{"batch":true}');
    expect(await viewer.closed).toMatchObject({ code: 4400 });
  });
});

describe('when the platform', () => {
  it('breaks the stream, the missed lines are filled in, each once', async () => {
    const viewer = logs.watch(demo);
    await viewer.streaming();
    const before = texts(10);
    emit(...before);
    await viewer.line(before[9] ?? '');
    logs.helium.faults.set({ path: '/ws2/logging', mode: 'refuse' });
    logs.helium.cutSockets();
    const waiting = await viewer.until((frame) => frame.type === 'state' && frame.state === 'waiting');
    expect(waiting).toMatchObject({
      message: expect.stringMatching(/Trying again in \d+ s\.$/),
      retryMs: expect.any(Number),
    });
    const meanwhile = texts(200);
    emit(...meanwhile);
    logs.helium.faults.clear();
    await viewer.until((frame) => frame.type === 'filled' && frame.lines === 200);
    const after = texts(10);
    emit(...after);
    await viewer.line(after[9] ?? '');
    expect(viewer.lines.slice(-220)).toEqual([...before, ...meanwhile, ...after]);
    expect(viewer.heard.filter((frame) => frame.type === 'gap')).toEqual([]);
    await viewer.leave();
  });

  it('breaks the stream under load, every line comes in its order and once', async () => {
    const viewer = logs.watch(demo);
    await viewer.streaming();
    const sent: string[] = [];
    const say = () => {
      const next = texts(25);
      sent.push(...next);
      emit(...next);
    };
    const talking = setInterval(say, 2);
    for (const cut of [1, 2, 3]) {
      await viewer.until((frame) => frame.type === 'lines' && frame.lines.some(([, , value]) => value === sent.at(-1)));
      logs.helium.cutSockets();
      const isFill = { seen: 0 };
      await viewer.until((frame) => frame.type === 'filled' && ++isFill.seen === cut);
    }
    clearInterval(talking);
    await viewer.line(sent.at(-1) ?? '');
    expect(viewer.lines.slice(-sent.length)).toEqual(sent);
    await viewer.leave();
  });

  it('breaks the stream and the table cannot be read, the hole is marked', async () => {
    await logs.restart();
    const viewer = logs.watch(demo);
    await viewer.streaming();
    const before = texts(3);
    emit(...before);
    await viewer.line(before[2] ?? '');
    const { schemaName } = logs.clinic;
    await logs.onDatabase(`alter table ${schemaName}.__logging_log__ rename to hidden`);
    try {
      logs.helium.cutSockets();
      const gap = await viewer.until((frame) => frame.type === 'gap');
      expect(gap).toMatchObject({ gap: { reason: 'platform', lines: null } });
      const [after = ''] = texts(1);
      emit(after);
      await viewer.line(after);
      const numbered = viewer.heard.findLast((frame) => frame.type === 'lines');
      expect(numbered).toMatchObject({ seq: gap.type === 'gap' ? gap.nextSeq : 0 });
    } finally {
      await logs.onDatabase(`alter table ${schemaName}.hidden rename to __logging_log__`);
    }
    await viewer.leave();
  });

  it('is down when the viewer comes, the viewer is told so and hears all once it is up', async () => {
    logs.helium.faults.set({ mode: 'refuse' });
    const viewer = logs.watch(demo);
    await viewer.until((frame) => frame.type === 'state' && frame.state === 'waiting');
    await viewer.until((frame) => frame.type === 'state' && frame.state === 'waiting' && frame !== viewer.heard[0]);
    expect(viewer.heard.every((frame) => frame.type === 'state')).toBe(true);
    logs.helium.faults.clear();
    await viewer.streaming();
    const sent = texts(2);
    emit(...sent);
    await viewer.line(sent[1] ?? '');
    await viewer.leave();
  });

  it.each(['html', 'error500', 'half-body', 'drop'] as const)(
    'answers the stream with %s, it is tried again',
    async (mode) => {
      await logs.restart();
      logs.helium.faults.set({ path: '/ws2/logging', mode });
      const viewer = logs.watch(demo);
      const waiting = await viewer.until((frame) => frame.type === 'state' && frame.state === 'waiting');
      expect(waiting).toMatchObject({ message: expect.stringContaining('Trying again') });
      logs.helium.faults.clear();
      await viewer.streaming();
      await viewer.leave();
    },
  );

  it('refuses the credentials, their viewers are closed and it is not tried again', async () => {
    await logs.restart();
    logs.helium.faults.set({ path: '/ws2/logging', mode: 'error500', status: 401 });
    const viewer = logs.watch(demo);
    expect(await viewer.closed).toMatchObject({ code: 4502 });
  });
});

describe('while a viewer watches', () => {
  it('the platform is asked again whether it may, and if not it is closed', async () => {
    await logs.restart({ ...quickLimits, recheckMs: 20 });
    const viewer = logs.watch(demo);
    await viewer.streaming();
    logs.helium.faults.set({ path: '/v2/app', mode: 'error500' });
    const [still = ''] = texts(1);
    emit(still);
    await viewer.line(still);
    logs.helium.faults.set({ path: '/v2/app', mode: 'error500', status: 401 });
    expect(await viewer.closed).toMatchObject({ code: 4502 });
    await logs.restart();
  });
});

describe('when a session ends', () => {
  it('its viewers are closed, and the stream goes on with the credentials of those who stay', async () => {
    await logs.restart();
    const leaving = await logs.signIn('health.dev', 'health');
    const first = logs.watch(leaving);
    await first.streaming();
    const second = logs.watch(demo);
    await second.streaming();
    const before = texts(5);
    emit(...before);
    await second.line(before[4] ?? '');
    await leaving.call(deleteSession, undefined);
    expect(await first.closed).toMatchObject({ code: 4401 });
    const sent: string[] = [];
    // Talks all through the handover, until the platform has seen the second socket come and the first one go.
    let hadTwo = false;
    while (!hadTwo || logs.clinic.viewers() !== 1) {
      hadTwo ||= logs.clinic.viewers() === 2;
      const [next = ''] = texts(1);
      sent.push(next);
      emit(next);
      await second.line(next);
    }
    const after = texts(5);
    emit(...after);
    await second.line(after[4] ?? '');
    expect(second.lines.slice(-(sent.length + 10))).toEqual([...before, ...sent, ...after]);
    expect(second.heard.filter((frame) => frame.type === 'gap' || frame.type === 'filled')).toEqual([]);
    await second.leave();
  });

  it('and nobody else watches, its stream of the platform ends at once', async () => {
    await logs.restart({ ...quickLimits, stream: { ...quickLimits.stream, lingerMs: 3_600_000 } });
    const leaving = await logs.signIn('health.dev', 'health');
    const viewer = logs.watch(leaving);
    await viewer.streaming();
    await leaving.call(deleteSession, undefined);
    expect(await viewer.closed).toMatchObject({ code: 4401 });
    await expect.poll(() => logs.clinic.viewers()).toBe(0);
    await logs.restart();
  });
});

describe('a slow viewer', () => {
  it('loses its oldest lines, counted, while a fast one gets all', async () => {
    const narrow = { ...quickLimits.stream.ring, lines: 3_000 };
    await logs.restart({
      ...quickLimits,
      viewer: { ...quickLimits.viewer, bufferedBytes: 64 * 1024 },
      stream: { ...quickLimits.stream, ring: narrow, history: { ...quickLimits.stream.history, lines: 100 } },
    });
    const fast = logs.watch(demo);
    await fast.streaming();
    const slow = logs.watch(demo);
    await slow.until((frame) => frame.type === 'hello');
    const start = texts(1);
    emit(...start);
    await slow.line(start[0] ?? '');
    slow.socket.pause();
    const sent = texts(25_000).map((text) => `${text} ${'x'.repeat(300)}`);
    for (let from = 0; from < sent.length; from += 1_000) {
      emit(...sent.slice(from, from + 1_000));
      await fast.line(sent[from + 999] ?? '');
    }
    expect(fast.lines.slice(-sent.length)).toEqual(sent);
    slow.socket.resume();
    await slow.line(sent.at(-1) ?? '');
    const heard = slow.heard;
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

  it('that answers nothing any more is let go', async () => {
    await logs.restart({ ...quickLimits, viewer: { ...quickLimits.viewer, beatMs: 20, silentBeats: 3 } });
    const viewer = logs.watch(demo, { batch: true }, { autoPong: false });
    expect(await viewer.closed).toMatchObject({ code: 1006 });
    const lively = logs.watch(demo);
    for (let beats = 0; beats < 10; ) await lively.until((frame) => frame.type === 'beat' && ++beats === 10);
    await lively.leave();
    await logs.restart();
  });
});
