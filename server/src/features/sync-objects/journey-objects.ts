import type { SyncObject } from '@portal/contract/sync-objects';
import type { JourneyClient } from '@portal/platforms/journey/client';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { countWithin } from './count-within.ts';

/** The engine calls the same deployment, which limits its calls. */
const concurrency = 4;
const timeoutMs = 20_000;

/** Throws a JourneyProblem if the deployment does not return its models. */
export async function readJourneyObjects(client: JourneyClient, signal: AbortSignal): Promise<SyncObject[]> {
  const response = await client.dataModel({ signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) });
  const names = response === 'unchanged' ? [] : Object.keys(response.model.models);
  const count = async (name: string, signal: AbortSignal) => {
    try {
      return await client.count(name, { signal });
    } catch (error) {
      if (error instanceof JourneyProblem) return null;
      throw error;
    }
  };
  const counts = await countWithin(names, count, { concurrency, timeoutMs, signal });
  return names.map((name) => ({
    platform: 'Journey',
    type: 'Model',
    objectName: name,
    objectCount: counts.get(name) ?? null,
  }));
}
