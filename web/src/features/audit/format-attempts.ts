import { formatCount } from '../../format/numbers.ts';

/** Formats the outcome of equal attempts: "refused", "refused ×290". */
export function formatAttempts(outcome: string, attempts: number): string {
  return attempts === 1 ? outcome : `${outcome} ×${formatCount(attempts)}`;
}
