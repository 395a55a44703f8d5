import type { LogGap } from '@portal/contract/logs';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { AppLogs } from './app-logs.ts';

/** Counters of log streams. */
export interface LogMetrics {
  received(lines: number): void;
  sent(lines: number): void;
  dropped(gap: LogGap): void;
}

export function createLogMetrics(registry: Registry, streams: AppLogs): LogMetrics {
  const registers = [registry];
  const received = new Counter({
    name: 'portal_log_lines_received_total',
    help: 'Log lines received from platforms',
    registers,
  });
  const sent = new Counter({ name: 'portal_log_lines_sent_total', help: 'Log lines sent to viewers', registers });
  const dropped = new Counter({
    name: 'portal_log_lines_dropped_total',
    help: 'Log lines that were not delivered to a viewer, by reason',
    labelNames: ['reason'],
    registers,
  });
  new Gauge({
    name: 'portal_log_viewers',
    help: 'Open log viewers',
    registers,
    collect() {
      this.set(streams.all.reduce((sum, stream) => sum + stream.subscribers, 0));
    },
  });
  new Gauge({
    name: 'portal_log_upstreams',
    help: 'Log streams to platforms that are open or being opened',
    registers,
    collect() {
      this.set(streams.all.filter((stream) => stream.isStreaming).length);
    },
  });
  new Gauge({
    name: 'portal_log_ring_bytes',
    help: 'Memory used by the recent log lines of all apps',
    registers,
    collect() {
      this.set(streams.all.reduce((sum, stream) => sum + stream.ring.bytes, 0));
    },
  });
  return {
    received: (lines) => received.inc(lines),
    sent: (lines) => sent.inc(lines),
    dropped: ({ reason, lines }) => dropped.inc({ reason }, lines ?? 0),
  };
}
