/** Converts Journey's response for one write to an outcome. */
import type { JourneyOperationResult, JourneyRefusal } from '@portal/platforms/journey/batch-wire';
import { type JourneyFailure, JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { type JourneyOperation, journeyErrors } from '@portal/platforms/journey/wire';
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
  if (result.success === true) return { status: 'done' };
  if (result.success === 'skipped')
    return {
      status: 'refused',
      kind: 'skipped by Journey',
      reason: 'Journey skips this write without giving a reason.',
    };
  const { error } = result;
  const isMissing = error.type === journeyErrors.objectNotFound;
  if (isMissing && operation.method === 'delete') return { status: 'done' };
  if (isMissing && operation.method === 'patch') return { status: 'missing' };
  // Without a type, Journey's words are all there is, and they are about this write.
  return error.type === null || verdicts.has(error.type) ? toRefusal(error) : toUndecided(error, error.type);
}

function toUndecided(error: JourneyRefusal, type: string): JourneyOutcome {
  const { kind, reason } = toRefusal(error);
  const detail = reason === type ? type : `${type}: ${reason}`;
  const problem = new JourneyProblem(`Journey responded to a write with ${detail}.`, toFailure(type), {
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
export function toRefusal({ type, title, detail }: JourneyRefusal): JourneyOutcome & { readonly status: 'refused' } {
  const message = detail || title || type || 'Journey refuses this write without giving a reason.';
  const words = maskValues(detail || title || '');
  return {
    status: 'refused',
    kind: [type ?? 'refused', words].filter((part) => part !== '').join(': '),
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
