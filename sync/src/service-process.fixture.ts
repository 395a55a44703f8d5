/**
 * A complete service in a process of its own, whose runs report each piece of work to the parent.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { createLogger } from '@portal/kit/logger';
import { ScriptedEngine } from './scripted-engine.fixture.ts';
import { quickRetryLimits, testConfig } from './service-config.fixture.ts';
import { createServiceParts, type Engine } from './setup/service-parts.ts';
import { startService } from './start-service.ts';

export interface WorkDone {
  readonly appId: string;
  readonly fence: string;
  readonly atMs: number;
}

const workIntervalMs = 20;

const engine: Engine = {
  operations: new ScriptedEngine().operations,
  async startRun({ integration: { appId }, fence, signal, withSlot }) {
    while (!signal.aborted) {
      await withSlot(async () => {
        const done: WorkDone = { appId, fence, atMs: Date.now() };
        process.send?.(done);
      });
      await wait(workIntervalMs, undefined, { signal }).catch(() => undefined);
    }
    return { outcome: 'stopped' };
  },
  stop: () => Promise.resolve(),
};

const [databaseUrl = ''] = process.argv.slice(2);
const parts = await createServiceParts(testConfig(databaseUrl), createLogger({ name: 'sync', level: 'fatal' }));
await startService(parts, engine, { host: '127.0.0.1', port: 0, retryLimits: quickRetryLimits });
// Without its parent nothing would stop it.
process.once('disconnect', () => process.exit());
