import type { AccessPlan } from '@portal/contract/schema-access';
import type { AccessRequest } from '../plan/access-request.ts';

/** The outcome of the last request, for the results card. */
export type AccessResult =
  | {
      readonly kind: 'generated';
      readonly team: string;
      readonly schemaName: string;
      readonly actions: readonly string[];
      /** Whether the SQL works on any schema of that name. */
      readonly readsCatalog: boolean;
    }
  | {
      readonly kind: 'done';
      readonly request: AccessRequest['kind'];
      readonly plan: AccessPlan;
      /** null if nothing had to be changed */
      readonly grantId: string | null;
      readonly actions: readonly string[];
    }
  | {
      readonly kind: 'failed';
      readonly title: string;
      readonly problem: unknown;
      /** The statements of a failed request, all rolled back. */
      readonly actions: readonly string[];
    };

/** Summarizes a request in one sentence. */
export function getHeadline({ request, plan, actions }: Extract<AccessResult, { kind: 'done' }>): string {
  const { newOwner, schemaName } = plan;
  if (actions.length === 0) return `Nothing to change: everything in ${schemaName} is already set up this way.`;
  return request === 'grant'
    ? `${newOwner} is now the owner of all objects in ${schemaName}.`
    : `Owners and privileges in ${schemaName} are restored to what they were before the grant; it belongs to ${newOwner} again.`;
}
