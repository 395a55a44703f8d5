import { z } from 'zod';
import { JourneyBatchResponse, type JourneyOperationResult } from './batch-wire.ts';
import type { JourneyAddress, JourneyCall } from './call.ts';
import { callForJson, createUnexpectedResponse } from './call-for-json.ts';
import { JourneyProblem } from './journey-problem.ts';
import { journeyPaths } from './paths.ts';
import { type JourneyOperation, journeyErrors, journeyPageMax } from './wire.ts';

/**
 * Runs a batch of operations. Results are matched to operations only by position, so a response
 * with another number of results, or with results of other operations, is rejected. The outcome of
 * the batch is then unknown.
 */
export async function runBatch(
  address: JourneyAddress,
  operations: readonly JourneyOperation[],
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<readonly JourneyOperationResult[]> {
  if (operations.length === 0) return [];
  if (operations.length > journeyPageMax) {
    throw new JourneyProblem(`Journey accepts at most ${journeyPageMax} operations per batch.`, {
      kind: 'invalid-request',
      type: journeyErrors.invalidRequest,
    });
  }
  const body = { stop_on_error: false, operations };
  const call: JourneyCall = { method: 'POST', path: journeyPaths.batch, body, signal };
  const { operations: results } = await callForJson(address, call, JourneyBatchResponse);
  if (results.length !== operations.length) {
    throw createUnexpectedResponse(address, call, `${results.length} results for ${operations.length} operations`);
  }
  const mismatch = results.findIndex((result, index) => !isResultFor(result, operations[index]));
  if (mismatch >= 0)
    throw createUnexpectedResponse(address, call, `the result of another operation at position ${mismatch + 1}`);
  return results;
}

const maxProbeMs = 10_000;

/**
 * Sends a batch without operations, which changes nothing. Throws when whatever answers writes does
 * not answer it as Journey does.
 */
export async function probeBatch(
  address: JourneyAddress,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const body = { stop_on_error: false, operations: [] };
  const maxMs = Math.min(address.timeoutMs, maxProbeMs);
  await callForJson(address, { method: 'POST', path: journeyPaths.batch, body, signal, maxMs }, z.looseObject({}));
}

/** A result need not repeat what it belongs to. */
function isResultFor({ method, object }: JourneyOperationResult, operation: JourneyOperation | undefined): boolean {
  if (method !== null && method !== operation?.method) return false;
  return typeof object.id !== 'string' || object.id.toLowerCase() === operation?.object.id;
}
