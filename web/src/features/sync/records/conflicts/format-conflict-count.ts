import { maxCountedConflicts } from '@portal/contract/sync/conflicts';
import { formatCount } from '../../../../format/numbers.ts';

/** Returns '12,000', or '100,000+' when there are more than are counted. */
export function formatConflictCount(count: number): string {
  return count > maxCountedConflicts ? `${formatCount(maxCountedConflicts)}+` : formatCount(count);
}
