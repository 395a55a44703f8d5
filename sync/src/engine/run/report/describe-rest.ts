import type { SyncContext } from '../../state/context.ts';

/**
 * Returns the state of a direction that has read its log to the end. It is not live without any
 * object: what is not synced must not look as if it were.
 */
export function describeRest({ mapping }: Pick<SyncContext, 'mapping'>): string {
  if (mapping.objects.length > 0) return 'Live';
  return 'Nothing is synced: Helium and Journey have no tracked object in common that is not paused.';
}
