import type { SyncObject } from '@portal/contract/sync-objects';
import type { JourneyClient } from '@portal/platforms/journey/client';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { countWithin } from './count-within.ts';

/** The engine calls the same deployment, which lets only so many calls through. */
const atATime = 4;
const withinMs = 20_000;

/** Throws a JourneyProblem when the deployment does not tell its models. */
export async function readJourneyObjects(client: JourneyClient): Promise<SyncObject[]> {
  const told = await client.dataModel({ signal: AbortSignal.timeout(withinMs) });
  const names = told === 'unchanged' ? [] : Object.keys(told.model.models);
  const count = async (name: string, signal: AbortSignal) => {
    try {
      return await client.count(name, { signal });
    } catch (error) {
      if (error instanceof JourneyProblem) return null;
      throw error;
    }
  };
  const counts = await countWithin(names, count, { atATime, withinMs });
  return names.map((name) => ({
    platform: 'Journey',
    type: 'Model',
    objectName: name,
    objectCount: counts.get(name) ?? null,
  }));
}
