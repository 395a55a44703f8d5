import type { z } from 'zod';
import { listSecrets } from './authorization.ts';
import {
  callJourney,
  getCallName,
  getHostName,
  isWrite,
  type JourneyAddress,
  type JourneyCall,
  type JourneyResponse,
} from './call.ts';
import { describeAnswer } from './describe-answer.ts';
import { JourneyProblem } from './journey-problem.ts';
import { parseExactly } from './parse-exactly.ts';

/**
 * Like `callJourney`, but also throws a `JourneyProblem` (`unexpected-response`) when the response
 * is not JSON of this shape.
 */
export async function callForJson<Shape extends z.ZodType>(
  address: JourneyAddress,
  call: JourneyCall,
  shape: Shape,
): Promise<z.output<Shape>> {
  return readJson(address, call, await callJourney(address, call), shape);
}

export function readJson<Shape extends z.ZodType>(
  address: JourneyAddress,
  call: JourneyCall,
  response: JourneyResponse,
  shape: Shape,
): z.output<Shape> {
  const parsed = shape.safeParse(decodeJson(address, call, response));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw createUnexpectedResponse(
    address,
    call,
    `an unexpected response: ${issue?.path.join('.') || 'response'}: ${issue?.message ?? 'unknown shape'}`,
  );
}

function decodeJson(address: JourneyAddress, call: JourneyCall, response: JourneyResponse): unknown {
  try {
    // Fatal, because a replacement character would silently change a value.
    return parseExactly(new TextDecoder('utf-8', { fatal: true }).decode(response.bytes));
  } catch {
    // What claims to be JSON may be a part of Journey's response, with values of records.
    const isForeign = !(response.headers.get('content-type') ?? '').includes('json');
    const answer = isForeign ? ` (${describeAnswer(response, listSecrets(address.authorization))})` : '';
    throw createUnexpectedResponse(address, call, `something that is not JSON${answer}`);
  }
}

/** @param what the content of Journey's response */
export function createUnexpectedResponse(address: JourneyAddress, call: JourneyCall, what: string): JourneyProblem {
  return new JourneyProblem(
    `${getHostName(address)} responded to ${getCallName(call)} with ${what}.`,
    { kind: 'unexpected-response' },
    { isWrite: isWrite(call) },
  );
}
