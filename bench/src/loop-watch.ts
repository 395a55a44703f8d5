/**
 * Loaded into a service's process before its code; reports to the parent how long the event loop
 * stood still and how much memory is in use. Each report starts a new period.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type LoopFigures, loopQuestion } from './loop-figures.ts';

const intervalMs = 5;

const delay = monitorEventLoopDelay({ resolution: intervalMs });
delay.enable();
let standstillMs = 0;
let standstillAtMs = 0;
let lastMs = performance.now();
let lastCpu = process.cpuUsage();

setInterval(() => {
  const nowMs = performance.now();
  const { user, system } = process.cpuUsage(lastCpu);
  const stoodStillMs = Math.min(nowMs - lastMs - intervalMs, (user + system) / 1000);
  if (stoodStillMs > standstillMs) {
    standstillMs = stoodStillMs;
    standstillAtMs = Date.now();
  }
  restart();
}, intervalMs).unref();

process.on('message', (message) => {
  if (message !== JSON.stringify(loopQuestion)) return;
  const delayMs = { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 };
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const figures: LoopFigures = { delayMs, standstillMs, standstillAtMs, memoryBytes: heapUsed + external };
  process.send?.(figures);
  standstillMs = 0;
  delay.reset();
  restart();
});

function restart(): void {
  lastMs = performance.now();
  lastCpu = process.cpuUsage();
}
