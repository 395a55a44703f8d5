/** Converts Journey's response for one write to an outcome. */
import { type JourneyFailure, JourneyProblem } from '@portal/platforms/journey/journey-problem';
import {
  type JourneyError,
  type JourneyOperation,
  type JourneyOperationResult,
  journeyErrors,
} from '@portal/platforms/journey/wire';
import type { JourneyOutcome } from './journey-gateway.ts';

/**
 * The types that judge the record: the same write fails again until the record changes. Journey's
 * list of types may be incomplete, so no other type is a verdict.
 */
const verdicts: ReadonlySet<string> = new Set([
  journeyErrors.invalidValue,
  journeyErrors.invalidRequest,
  journeyErrors.objectNotFound,
  journeyErrors.routeError,
]);

export function toOutcome(operation: JourneyOperation, result: JourneyOperationResult): JourneyOutcome {
  if (result.success) return { status: 'done' };
  const isMissing = result.error.type === journeyErrors.objectNotFound;
  if (isMissing && operation.method === 'delete') return { status: 'done' };
  if (isMissing && operation.method === 'patch') return { status: 'missing' };
  return verdicts.has(result.error.type) ? toRefusal(result.error) : toUndecided(result.error);
}

function toUndecided(error: JourneyError): JourneyOutcome {
  const { kind, reason } = toRefusal(error);
  const detail = reason === error.type ? error.type : `${error.type}: ${reason}`;
  const problem = new JourneyProblem(`Journey responded to a write with ${detail}.`, toFailure(error.type), {
    isWrite: true,
  });
  return {
    status: 'undecided',
    kind,
    reason: `Journey responded with ${detail}, which is not about this record. It is retried automatically.`,
    problem,
  };
}

/** Returns what the same type means for a whole call. */
function toFailure(type: string): JourneyFailure {
  switch (type) {
    case journeyErrors.authenticationFailed:
      return { kind: 'credentials-rejected' };
    case journeyErrors.accountNotFound:
      return { kind: 'not-found', type };
    case journeyErrors.tooManyRequests:
      return { kind: 'rate-limited', retryAfterMs: 1_000 };
    default:
      return { kind: 'unexpected-response' };
  }
}

/**
 * Returns a refusal. `kind` is the same for all records with the same error: the record's own
 * values and names are masked.
 */
export function toRefusal({ type, title, detail }: JourneyError): JourneyOutcome & { readonly status: 'refused' } {
  const message = detail || title || type;
  const words = maskValues(detail || title || '');
  return {
    status: 'refused',
    kind: words === '' ? type : `${type}: ${words}`,
    reason: message.slice(0, maxReasonLength),
  };
}

const maxReasonLength = 500;
const maxKindLength = 150;

function maskValues(words: string): string {
  return words
    .replace(/"(?:[^"\\]|\\.)*"?|'[^']*'|[\w-]*\d[\w.-]*/g, '…')
    .replace(/(?:…\s*)+$/, '…')
    .slice(0, maxKindLength)
    .trim();
}
