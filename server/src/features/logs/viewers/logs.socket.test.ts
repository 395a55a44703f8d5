import { type LogLine, logMessageSchema } from '@portal/contract/logs';
import { deleteSession } from '@portal/contract/session';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TestClient } from '../../../testing/test-client.ts';
import { createTexts, type LogWorld, quickLimits, startLogWorld } from '../log-test-world.fixture.ts';

let logs: LogWorld;
let demo: TestClient;

beforeAll(async () => {
  logs = await startLogWorld();
  demo = await logs.signIn('demo', 'demo');
});
afterAll(() => logs.stop());
beforeEach(() => logs.helium.faults.clear());

describe('log viewer', () => {
  it('receives the stream state, its start position, and the lines as they arrive', async () => {
    const viewer = logs.watch(demo);
    await viewer.waitForOpenStream();
    const sent = createTexts(50);
    logs.emit(...sent);
    await viewer.waitForLine(sent[49] ?? '');
    expect(viewer.received.slice(0, 2)).toMatchObject([{ type: 'state' }, { type: 'hello', resumed: 'new' }]);
    expect(viewer.lines.slice(-50)).toEqual(sent);
    await viewer.leave();
  });

  it('receives the last minutes of an app before the platform sends a line, in order with the next ones', async () => {
    await logs.restart();
    const before = createTexts(3);
    logs.emit(...before);
    await logs.clinic.logWritten();
    const viewer = logs.watch(demo);
    await viewer.waitForLine(before[2] ?? '');
    const states = viewer.received.flatMap((frame) => (frame.type === 'state' ? [frame.state] : []));
    expect(states.at(-1)).toBe('reading');
    const after = createTexts(2);
    logs.emit(...after);
    await viewer.waitForLine(after[1] ?? '');
    expect(viewer.lines.slice(-5)).toEqual([...before, ...after]);
    await viewer.leave();
  });

  it('receives each line in its own frame by default, as specified', async () => {
    const ready = logs.watch(demo);
    await ready.waitForOpenStream();
    const baseUrl = logs.world.baseUrl;
    const before = createTexts(2);
    logs.emit(...before);
    await ready.waitForLine(before[1] ?? '');
    const plain = logs.watch(demo, { baseUrl, credentials: { userName: 'demo', password: 'demo' } });
    await plain.waitForFrames(2);
    const after = createTexts(3);
    logs.clinic.log(...after.map((value, index) => ({ key: 'SEVERE', value, millis: 1_700_000_000_000 + index })));
    while (!plain.frames.at(-1)?.includes(after[2] ?? '')) await plain.waitForFrames(plain.frames.length + 1);
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

  it('shares one platform stream with nine other viewers that receive the same lines', async () => {
    const viewers = Array.from({ length: 10 }, () => logs.watch(demo));
    await Promise.all(viewers.map((viewer) => viewer.waitForOpenStream()));
    expect(logs.clinic.viewers()).toBe(1);
    expect(await logs.metric('portal_log_viewers')).toBe(10);
    expect(await logs.metric('portal_log_upstreams')).toBe(1);
    const before = await logs.metric('portal_log_lines_sent_total');
    const sent = createTexts(500);
    logs.emit(...sent);
    for (const viewer of viewers) {
      await viewer.waitForLine(sent[499] ?? '');
      expect(viewer.lines.slice(-500)).toEqual(sent);
    }
    expect((await logs.metric('portal_log_lines_sent_total')) - before).toBe(5_000);
    await Promise.all(viewers.map((viewer) => viewer.leave()));
  });

  it('continues unaffected by a new viewer, which receives the last lines at once', async () => {
    const old = logs.watch(demo);
    await old.waitForOpenStream();
    const sent = createTexts(20);
    logs.emit(...sent);
    await old.waitForLine(sent[19] ?? '');
    const heard = old.frames.length;
    const newcomer = logs.watch(demo);
    await newcomer.waitForLine(sent[19] ?? '');
    expect(newcomer.lines.slice(-20)).toEqual(sent);
    expect(old.frames.length).toBe(heard);
    await Promise.all([old.leave(), newcomer.leave()]);
  });

  it('the first viewer receives what the app logged before', async () => {
    await logs.restart();
    const sent = createTexts(20);
    logs.emit(...sent);
    await logs.clinic.logWritten();
    const viewer = logs.watch(demo);
    await viewer.waitForLine(sent[19] ?? '');
    expect(viewer.lines.slice(-20)).toEqual(sent);
    await viewer.leave();
  });
});

describe('log viewer that lost its connection', () => {
  it('resumes after its last line without losing or repeating any', async () => {
    const viewer = logs.watch(demo);
    const other = logs.watch(demo);
    await viewer.waitForOpenStream();
    const before = createTexts(10);
    logs.emit(...before);
    await viewer.waitForLine(before[9] ?? '');
    const after = viewer.position;
    await viewer.leave();
    const missed = createTexts(10);
    logs.emit(...missed);
    await other.waitForLine(missed[9] ?? '');
    // Truncation may cut a line's text in the middle of a surrogate pair.
    const tail: LogLine[] = [[after.millis, 'INFO', 'half a tractor \ud83d']];
    const again = logs.watch(demo, { batch: true, after: { ...after, tail } });
    const last = createTexts(1);
    logs.emit(...last);
    await again.waitForLine(last[0] ?? '');
    expect(again.received[1]).toMatchObject({ type: 'hello', resumed: 'nothing-lost', nextSeq: after.seq + 1 });
    expect(again.lines).toEqual([...missed, ...last]);
    await Promise.all([again.leave(), other.leave()]);
  });

  it('resumes by time after a restart of the server without losing or repeating lines', async () => {
    const viewer = logs.watch(demo);
    await viewer.waitForOpenStream();
    const before = createTexts(30);
    logs.emit(...before);
    await viewer.waitForLine(before[29] ?? '');
    const after = viewer.position;
    await logs.restart();
    expect(await viewer.closed).toMatchObject({ code: 1001 });
    const missed = createTexts(30);
    logs.emit(...missed);
    await logs.clinic.logWritten();
    const again = logs.watch(demo, { batch: true, after });
    const last = createTexts(1);
    await again.waitForOpenStream();
    logs.emit(...last);
    await again.waitForLine(last[0] ?? '');
    expect(again.received.find((frame) => frame.type === 'hello')).toMatchObject({ resumed: 'nothing-lost' });
    expect(again.lines).toEqual([...missed, ...last]);
    await again.leave();
  });
});

describe('refused log viewer', () => {
  it.each([
    ['another site', 'https://evil.example', 403],
    ['a sandboxed page', 'null', 403],
  ])('refuses an upgrade before the socket opens: %s', async (_, origin, status) => {
    const viewer = logs.watch(demo, { batch: true }, { headers: { origin } });
    const answered = await new Promise((resolve) =>
      viewer.socket.on('unexpected-response', (_request, response) => resolve(response.statusCode)),
    );
    expect(answered).toBe(status);
  });

  it('closes a socket with a reason if the session of its user has ended', async () => {
    const client = await logs.signIn('demo', 'demo');
    const { cookieHeaders: headers } = client;
    await client.call(deleteSession, undefined);
    expect(await logs.watch(null, { batch: true }, { headers }).closed).toMatchObject({ code: 4401 });
  });

  it("gets the same error for another user's app as for one that does not exist", async () => {
    const dev = await logs.signIn('health.dev', 'health');
    const farm = logs.helium.app('Farm Inputs').id;
    const foreign = await logs.watch(dev, { batch: true }, { appId: farm }).closed;
    const unknown = await logs.watch(dev, { batch: true }, { appId: 'no-such-app' }).closed;
    expect(foreign.code).toBe(4404);
    expect(unknown).toEqual({ code: 4404, reason: foreign.reason.replace(farm, 'no-such-app') });
    expect(logs.helium.app('Farm Inputs').viewers()).toBe(0);
  });

  it.each([
    ['invalid JSON', 'hello', 4400],
    ['not an object', '[]', 4400],
    ['a wrong type', '{"batch":"yes"}', 4400],
    ['null', 'null', 4400],
    ['binary', Buffer.from('{}'), 4400],
    ['nested too deeply', `{"batch":true,"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 4400],
    ['a tail of thousands', `{"after":{"stream":"a","seq":1,"millis":1,"tail":[${'0,'.repeat(8_000)}0]}}`, 4400],
    ['a frame beyond the limit', `{"batch":true,"x":"${'x'.repeat(100_000)}"}`, 1009],
    ['another environment', '{"baseUrl":"https://elsewhere.example"}', 4400],
    ['another user', '{"credentials":{"userName":"health.dev","password":"health"}}', 4403],
    ['a position of nonsense', '{"batch":true,"after":{"stream":5}}', 4400],
  ])('closes a socket with the matching code: %s', async (_, hello, code) => {
    expect(await logs.watch(demo, hello).closed).toMatchObject({ code });
  });

  it('closes a socket that sends no first frame in time', async () => {
    await logs.restart({ ...quickLimits, helloMs: 20 });
    expect(await logs.watch(demo, null).closed).toMatchObject({ code: 4400 });
    await logs.restart();
  });

  it('closes a socket that sends more than the first frame', async () => {
    const viewer = logs.watch(demo);
    await viewer.waitForOpenStream();
    viewer.socket.send('{"batch":true}');
    expect(await viewer.closed).toMatchObject({ code: 4400 });
  });
});

describe('log viewers of a session that ends', () => {
  it('closes the sockets of an ended session, and the stream continues with the credentials of the others', async () => {
    await logs.restart();
    const leaver = await logs.signIn('health.dev', 'health');
    const first = logs.watch(leaver);
    await first.waitForOpenStream();
    const second = logs.watch(demo);
    await second.waitForOpenStream();
    const before = createTexts(5);
    logs.emit(...before);
    await second.waitForLine(before[4] ?? '');
    await leaver.call(deleteSession, undefined);
    expect(await first.closed).toMatchObject({ code: 4401 });
    const sent: string[] = [];
    // Logs continuously during the switch, until the platform has only the remaining viewer's
    // stream.
    const isSwitched = () => {
      const states = second.received.flatMap((frame) => (frame.type === 'state' ? [frame.state] : []));
      return states.lastIndexOf('streaming') > states.lastIndexOf('connecting') && states.includes('connecting');
    };
    while (!isSwitched() || logs.clinic.viewers() !== 1) {
      const [next = ''] = createTexts(1);
      sent.push(next);
      logs.emit(next);
      await second.waitForLine(next);
    }
    const after = createTexts(5);
    logs.emit(...after);
    await second.waitForLine(after[4] ?? '');
    expect(second.lines.slice(-(sent.length + 10))).toEqual([...before, ...sent, ...after]);
    expect(second.received.filter((frame) => frame.type === 'gap')).toEqual([]);
    await second.leave();
  });

  it('the platform stream is closed at once if they were the last', async () => {
    await logs.restart({ ...quickLimits, stream: { ...quickLimits.stream, lingerMs: 3_600_000 } });
    const leaver = await logs.signIn('health.dev', 'health');
    const viewer = logs.watch(leaver);
    await viewer.waitForOpenStream();
    await leaver.call(deleteSession, undefined);
    expect(await viewer.closed).toMatchObject({ code: 4401 });
    await expect.poll(() => logs.clinic.viewers()).toBe(0);
    await logs.restart();
  });
});

it('a viewer that leaves during authorization does not subscribe', async () => {
  await logs.restart();
  const { permissions } = logs.world.server.dependencies;
  const asking = vi.spyOn(permissions, 'require');
  let response: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => {
    asking.mockImplementationOnce(async () => {
      resolve();
      await new Promise<void>((answered) => {
        response = answered;
      });
    });
  });
  const leaver = logs.watch(demo);
  await isAsked;
  await leaver.leave();
  // The next viewer's start shows that the first one's handling is complete.
  const staying = logs.watch(demo);
  await staying.waitForOpenStream();
  response();
  await staying.leave();
  await expect.poll(() => logs.clinic.viewers()).toBe(0);
});
