import type { JourneyAddress, JourneyCall } from './call.ts';
import { callForJson, unexpectedAnswer } from './call-for-json.ts';
import { JourneyProblem } from './journey-problem.ts';
import { journeyPaths } from './paths.ts';
import {
  JourneyBatchAnswer,
  type JourneyOperation,
  type JourneyOperationResult,
  journeyErrors,
  journeyPageMax,
} from './wire.ts';

/**
 * Results are told apart by nothing but their place, so an answer with another number of them, or
 * of other operations, counts as none: what happened is then unknown.
 */
export async function runBatch(
  address: JourneyAddress,
  operations: readonly JourneyOperation[],
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<readonly JourneyOperationResult[]> {
  if (operations.length === 0) return [];
  if (operations.length > journeyPageMax) {
    throw new JourneyProblem(`Journey takes at most ${journeyPageMax} operations at once.`, {
      kind: 'invalid-request',
      type: journeyErrors.invalidRequest,
    });
  }
  const body = { stop_on_error: false, operations };
  const call: JourneyCall = { method: 'POST', path: journeyPaths.batch, body, signal };
  const { operations: results } = await callForJson(address, call, JourneyBatchAnswer);
  if (results.length !== operations.length) {
    throw unexpectedAnswer(address, call, `${results.length} results to ${operations.length} operations`);
  }
  const strange = results.findIndex((result, index) => !isResultOf(result, operations[index]));
  if (strange >= 0) throw unexpectedAnswer(address, call, `the result of another operation in place ${strange + 1}`);
  return results;
}

/** A failed operation's object may be told in part only. */
function isResultOf({ method, object }: JourneyOperationResult, operation: JourneyOperation | undefined): boolean {
  if (method !== operation?.method) return false;
  return object.id === undefined || object.id === operation.object.id;
}
