import { callJourney, type JourneyAddress, type JourneyCall } from './call.ts';
import { readJson } from './call-for-json.ts';
import { journeyPaths } from './paths.ts';
import { JourneyDataModel } from './wire.ts';

export interface JourneyDataModelOptions {
  /** As it came with the model that is known already. */
  readonly etag?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface JourneyDataModelAnswer {
  readonly model: JourneyDataModel;
  readonly etag: string | undefined;
}

export async function readDataModel(
  address: JourneyAddress,
  { etag, signal }: JourneyDataModelOptions = {},
): Promise<JourneyDataModelAnswer | 'unchanged'> {
  const call: JourneyCall = { method: 'GET', path: journeyPaths.dataModel, ifNoneMatch: etag, signal };
  const answer = await callJourney(address, call);
  if (answer.status === 304) return 'unchanged';
  return {
    model: readJson(address, call, answer, JourneyDataModel),
    etag: answer.headers.get('etag') ?? undefined,
  };
}
