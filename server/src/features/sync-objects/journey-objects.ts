import { setTimeout as pause } from 'node:timers/promises';
import type { SyncObject } from '@portal/contract/sync/objects';
import type { JourneyClient } from '@portal/platforms/journey/client';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { countWithin } from './count-within.ts';

/** The engine calls the same deployment, which limits its calls. */
const concurrency = 4;
const timeoutMs = 20_000;
/** People do not wait longer for a page. */
const maxPauseMs = 5_000;

/** Throws a JourneyProblem if the deployment does not return its models. */
export async function readJourneyObjects(client: JourneyClient, ended: AbortSignal): Promise<SyncObject[]> {
  const signal = AbortSignal.any([ended, AbortSignal.timeout(timeoutMs)]);
  const response = await waitOutPauses(() => client.dataModel({ signal }), signal);
  const names = response === 'unchanged' ? [] : Object.keys(response.model.models);
  const count = async (name: string, signal: AbortSignal) => {
    try {
      return await waitOutPauses(() => client.count(name, { signal }), signal);
    } catch (error) {
      if (error instanceof JourneyProblem) return null;
      throw error;
    }
  };
  const counts = await countWithin(names, count, { concurrency, timeoutMs, signal: ended });
  return names.map((name) => ({
    platform: 'Journey',
    type: 'Model',
    objectName: name,
    objectCount: counts.get(name) ?? null,
  }));
}

/**
 * Calls again after each pause that Journey asks for. Throws the JourneyProblem of a pause that is
 * too long, or that the signal ends.
 */
async function waitOutPauses<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof JourneyProblem) || error.failure.kind !== 'rate-limited') throw error;
      const { retryAfterMs } = error.failure;
      if (retryAfterMs > maxPauseMs) throw error;
      await pause(retryAfterMs, undefined, { signal }).catch(() => {
        throw error;
      });
    }
  }
}
