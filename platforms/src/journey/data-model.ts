import { callJourney, type JourneyAddress, type JourneyCall } from './call.ts';
import { readJson } from './call-for-json.ts';
import { JourneyDataModel } from './data-model-wire.ts';
import { journeyPaths } from './paths.ts';

export interface JourneyDataModelOptions {
  /** The etag of the model that is already known. */
  readonly etag?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface JourneyDataModelResult {
  readonly model: JourneyDataModel;
  readonly etag: string | undefined;
}

export async function readDataModel(
  address: JourneyAddress,
  { etag, signal }: JourneyDataModelOptions = {},
): Promise<JourneyDataModelResult | 'unchanged'> {
  const call: JourneyCall = { method: 'GET', path: journeyPaths.dataModel, ifNoneMatch: etag, signal };
  const response = await callJourney(address, call);
  if (response.status === 304) return 'unchanged';
  return {
    model: readJson(address, call, response, JourneyDataModel),
    etag: response.headers.get('etag') ?? undefined,
  };
}
