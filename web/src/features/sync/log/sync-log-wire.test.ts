import { describe, expect, it } from 'vitest';
import {
  type Connection,
  type ConnectionEffect,
  closedConnection,
  transition,
} from '../../../logs/stream/log-connection.ts';
import { syncLogWire } from './sync-log-wire.ts';

const wire = syncLogWire('app-1', 'Production');
const retry = { random: () => 0, isPageVisible: true };
const lines = (seq: number, ...values: string[]) => ({
  type: 'lines',
  seq,
  lines: values.map((value, at) => [1000 + seq + at, 'INFO', value]),
});

/** Plays the stream, feeds it the frames, and then closes it with the code. */
function watch(from: Connection, frames: readonly unknown[], close?: readonly [code: number, said: string]) {
  const played = transition(from, { type: 'play' }, retry);
  const [connect] = played.effects;
  if (connect?.type !== 'connect') throw new Error('no connection was opened');
  const session = wire.open(connect.hello);
  const events = [...frames.flatMap((frame) => session.read(frame)), ...(close ? [session.readClose(...close)] : [])];
  let state = played.next;
  const effects: ConnectionEffect[] = [];
  for (const event of events) {
    const { next, effects: more } = transition(state, event, retry);
    state = next;
    effects.push(...more);
  }
  const values = effects.flatMap((effect) => (effect.type === 'lines' ? effect.lines.map(([, , value]) => value) : []));
  const markers = effects.flatMap((effect) => (effect.type === 'marker' ? [effect.text] : []));
  return { first: session.firstFrame, state, values, markers };
}

describe('sync log stream', () => {
  it('requests frames of many lines on the socket of the environment', () => {
    expect(wire.path).toBe('/sync/api/ws');
    expect(syncLogWire('a', 'Zambia-production').path).toBe('/sync-zm/api/ws');
    expect(watch(closedConnection, []).first).toEqual({ type: 'LOG_SESSION', appId: 'app-1', batch: true });
  });

  it('starts streaming at whatever sequence number the log has', () => {
    const { state, values, markers } = watch(closedConnection, [lines(4001, 'a', 'b'), { type: 'beat', seq: 4002 }]);
    expect([state.phase, state.platform, values, markers]).toEqual(['streaming', 'streaming', ['a', 'b'], []]);
  });

  it('ignores a heartbeat sent before the service has read the log', () => {
    const { values, markers } = watch(closedConnection, [{ type: 'beat', seq: 0 }, lines(4001, 'a')]);
    expect([values, markers]).toEqual([['a'], []]);
  });

  it('resumes after the last received line and reports the missing ones', () => {
    const interrupted = watch(closedConnection, [lines(7, 'a', 'b')], [1006, '']).state;
    expect(interrupted.phase).toBe('waiting');
    const again = watch(interrupted, [lines(9, 'c')]);
    expect(again.first).toMatchObject({ after: 8 });
    expect([again.values, again.markers]).toEqual([['c'], ['Reconnected: nothing lost.']]);
    const late = watch(interrupted, [{ type: 'gap', nextSeq: 12, lines: 3 }, lines(12, 'f')]);
    expect(late.values).toEqual(['f']);
    expect(late.markers).toEqual([expect.stringContaining('gap: 3 lines')]);
  });

  it('continues with the lower sequence numbers of a re-created integration', () => {
    const interrupted = watch(closedConnection, [lines(70, 'a')], [1006, '']).state;
    const recreated = watch(interrupted, [{ type: 'gap', nextSeq: 1, lines: null }, lines(1, 'first', 'second')]);
    expect(recreated.values).toEqual(['first', 'second']);
    const more = watch(transition(recreated.state, { type: 'stop' }, retry).next, [lines(3, 'third')]);
    expect([more.first, more.values]).toEqual([expect.objectContaining({ after: 2 }), ['third']]);
  });

  it('shows the refusal of a disabled integration and does not reconnect', () => {
    const refusal = [
      { value: 'cannot be streamed', key: 'WARNING', millis: 1 },
      { value: 'Integration Disabled', failed: true },
    ];
    const { state, values } = watch(closedConnection, refusal, [4409, 'Integration Disabled']);
    expect([state.phase, state.message]).toEqual(['closed', 'Socket closed with code 4409. Integration Disabled']);
    expect(values).toEqual(['cannot be streamed']);
  });

  it.each([4400, 4401, 4403, 4404])('closes for good on code %i and shows its message', (code) => {
    const { state } = watch(closedConnection, [lines(1, 'a')], [code, 'The integration was deleted.']);
    expect([state.phase, state.message]).toEqual([
      'closed',
      `Socket closed with code ${code}. The integration was deleted.`,
    ]);
  });

  it.each([1001, 1006, 1011, 1013, 4429])('reconnects after code %i', (code) => {
    expect(watch(closedConnection, [lines(1, 'a')], [code, '']).state.phase).toBe('waiting');
  });

  it('closes on an unknown frame', () => {
    expect(watch(closedConnection, [{ type: 'other' }]).state.phase).toBe('closed');
  });
});
