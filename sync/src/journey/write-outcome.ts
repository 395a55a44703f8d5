/** Converts Journey's response for one write to an outcome. */
import {
  type JourneyError,
  type JourneyOperation,
  type JourneyOperationResult,
  journeyErrors,
} from '@portal/platforms/journey/wire';
import type { JourneyOutcome } from './journey-gateway.ts';

export function toOutcome(operation: JourneyOperation, result: JourneyOperationResult): JourneyOutcome {
  if (result.success) return { status: 'done' };
  const isMissing = result.error.type === journeyErrors.objectNotFound;
  if (isMissing && operation.method === 'delete') return { status: 'done' };
  if (isMissing && operation.method === 'patch') return { status: 'missing' };
  return toRefusal(result.error);
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
