/** What became of one write, told by Journey's answer to it. */
import {
  type JourneyError,
  type JourneyOperation,
  type JourneyOperationResult,
  journeyErrors,
} from '@portal/platforms/journey/wire';
import type { JourneyOutcome } from './journey-end.ts';

export function outcomeOf(operation: JourneyOperation, result: JourneyOperationResult): JourneyOutcome {
  if (result.success) return { is: 'done' };
  const isMissing = result.error.type === journeyErrors.objectNotFound;
  if (isMissing && operation.method === 'delete') return { is: 'done' };
  if (isMissing && operation.method === 'patch') return { is: 'missing' };
  return refusal(result.error);
}

/**
 * `kind` is the same for all that fail alike: without the values and names that are this record's
 * own.
 */
export function refusal({ type, title, detail }: JourneyError): JourneyOutcome & { readonly is: 'refused' } {
  const said = detail || title || type;
  const words = withoutOwn(detail || title || '');
  return { is: 'refused', kind: words === '' ? type : `${type}: ${words}`, reason: said.slice(0, reasonMax) };
}

const reasonMax = 500;
const kindMax = 150;

function withoutOwn(words: string): string {
  return words
    .replace(/"(?:[^"\\]|\\.)*"?|'[^']*'|[\w-]*\d[\w.-]*/g, '…')
    .replace(/(?:…\s*)+$/, '…')
    .slice(0, kindMax)
    .trim();
}
