import { formatSkippedEntries, skippedEntriesHeader } from '@portal/contract/skipped-entries';
import type { FastifyReply } from 'fastify';

/** Reports the entries that are not in the response because the platform's could not be read. */
export function reportSkipped(reply: FastifyReply, reasons: readonly string[]): void {
  if (reasons.length > 0) reply.header(skippedEntriesHeader, formatSkippedEntries(reasons));
}
