import type { z } from 'zod';
import {
  callJourney,
  isWrite,
  type JourneyAddress,
  type JourneyAnswer,
  type JourneyCall,
  nameOf,
  nameOfCall,
} from './call.ts';
import { JourneyProblem } from './journey-problem.ts';
import { parseExactly } from './parse-exactly.ts';

/**
 * As `callJourney`; an answer that is not JSON of this shape is a `JourneyProblem` too
 * (`unexpected-answer`).
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
  answer: JourneyAnswer,
  shape: Shape,
): z.output<Shape> {
  const parsed = shape.safeParse(jsonIn(address, call, answer));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw unexpectedAnswer(
    address,
    call,
    `something unexpected: ${issue?.path.join('.') || 'answer'}: ${issue?.message ?? 'unknown shape'}`,
  );
}

function jsonIn(address: JourneyAddress, call: JourneyCall, { bytes }: JourneyAnswer): unknown {
  try {
    // Fatal: a replaced character would be a value changed in silence.
    return parseExactly(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw unexpectedAnswer(address, call, 'something that is not JSON');
  }
}

/** @param what Journey answered */
export function unexpectedAnswer(address: JourneyAddress, call: JourneyCall, what: string): JourneyProblem {
  return new JourneyProblem(
    `${nameOf(address)} answered ${nameOfCall(call)} with ${what}.`,
    { kind: 'unexpected-answer' },
    { isWrite: isWrite(call) },
  );
}
