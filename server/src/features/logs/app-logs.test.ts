import { afterEach, expect, test } from 'vitest';
import type { LogSubscriber } from './app-log.ts';
import { AppLogs } from './app-logs.ts';
import { defaultLogLimits } from './log-limits.ts';
import { ScriptedPlatform } from './scripted-platform.fixture.ts';

const follower = (key: string): LogSubscriber => ({
  credentials: { key, reveal: () => ({ userName: key, password: key }) },
  wake: () => undefined,
  notify: () => undefined,
  refuse: () => undefined,
});

const usual = { ...defaultLogLimits.streams, idleMs: 3_600_000 };
let streams = new AppLogs(usual);
afterEach(() => streams.stop());

function streamOf(appId: string) {
  return streams.getOrCreate('Production', appId, () => ({
    source: new ScriptedPlatform().source,
    limits: { ...defaultLogLimits.stream, ring: { ...defaultLogLimits.stream.ring, bytes: streams.ringBytes } },
    messages: { connecting: 'Connecting.', reading: 'Reading.', streaming: 'Streaming.' },
    onLines: () => undefined,
  }));
}

test('an app has one log stream per environment', () => {
  streams = new AppLogs(usual);
  const make = () => {
    throw new Error('there is one already');
  };
  const stream = streamOf('a');
  expect(streams.getOrCreate('Production', 'a', make)).toBe(stream);
  expect(() => streams.getOrCreate('Staging', 'a', make)).toThrow('already');
});

test('stores only the most recent logs without subscribers', () => {
  streams = new AppLogs({ ...usual, maxIdle: 2 });
  const followed = streamOf('followed');
  followed.subscribe(follower('ann'));
  const idle = ['a', 'b', 'c'].map((appId) => {
    const stream = streamOf(appId);
    stream.subscribe(follower('ann'))();
    return stream;
  });
  const newest = streamOf('d');
  expect(streams.all).toEqual([followed, idle[1], idle[2], newest]);
});

test('all rings share one memory budget with a minimum for each', () => {
  streams = new AppLogs({ ...usual, bytes: 100, ringBytes: { max: 60, min: 30 } });
  const shares = ['a', 'b', 'c', 'd'].map((appId) => {
    streamOf(appId).subscribe(follower('ann'));
    return streams.ringBytes();
  });
  expect(shares).toEqual([60, 50, 33, 30]);
});
