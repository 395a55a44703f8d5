/** Tests what an integration would use, before it is saved or enabled. */
import type { ResponseOf } from '@portal/contract/endpoint';
import type { ConfigProblem, testConnection } from '@portal/contract/sync/config';
import type { ConnectionTarget, OperatorActions } from '../integration/operator-actions.ts';
import { describeWarnings, listWarnings } from '../mapping/describe-warnings.ts';
import type { ServiceParts } from '../setup/service-parts.ts';
import { noteSharedPlatforms } from './note-shared-platforms.ts';

type Parts = ServiceParts & { readonly operations: OperatorActions };

/** The form lists all of them. */
const maxWarningsInReply = 3;

/** Tests both connections, and names other integrations that use the same. */
export async function examineTarget(
  parts: Parts,
  target: ConnectionTarget,
  signal: AbortSignal,
): Promise<ResponseOf<typeof testConnection>> {
  return noteSharedPlatforms(parts, target, await parts.operations.testConnection(target, signal));
}

/**
 * Returns what prevents the integration from running, by configuration field, and the warnings as a
 * text; null when there are none.
 */
export async function findObstacles(
  parts: Parts,
  target: ConnectionTarget,
  signal: AbortSignal,
): Promise<{ readonly problems: readonly ConfigProblem[]; readonly warnings: string | null }> {
  const { helium, journey, problems, notes } = await examineTarget(parts, target, signal);
  const unreachable: ConfigProblem[] = [
    ...(helium.reached ? [] : [{ field: 'helium.baseUrl', reason: helium.message }]),
    ...(journey.reached ? [] : [{ field: journey.field ?? 'journey.baseUrl', reason: journey.message }]),
  ];
  const named = notes.map(({ object, field, ...note }) => ({
    ...note,
    table: object,
    ...(field !== null && { field }),
  }));
  return {
    problems: [...unreachable, ...problems],
    warnings: describeWarnings(listWarnings(named), maxWarningsInReply),
  };
}
