import type { AccessPlan } from '@portal/contract/schema-access';
import type { AccessAct } from '../plan/access-act.ts';

/** What came of the last act, for the results card. */
export type AccessResult =
  | {
      readonly kind: 'generated';
      readonly team: string;
      readonly schemaName: string;
      readonly actions: readonly string[];
    }
  | {
      readonly kind: 'done';
      readonly act: AccessAct['kind'];
      readonly plan: AccessPlan;
      /** null where nothing had to be done */
      readonly grantId: string | null;
      readonly actions: readonly string[];
    }
  | {
      readonly kind: 'failed';
      readonly title: string;
      readonly problem: unknown;
      /** What it consisted of; none of it remains. */
      readonly actions: readonly string[];
    };

/** What a grant did, in a sentence. */
export function headlineOf({ act, plan, actions }: Extract<AccessResult, { kind: 'done' }>): string {
  const { newOwner, schemaName } = plan;
  if (actions.length === 0) return `Nothing had to be done: everything in ${schemaName} is as it would be made.`;
  return act === 'grant'
    ? `${newOwner} is now the owner of all objects in ${schemaName}.`
    : `Owners and privileges in ${schemaName} are what they were before the grant; it belongs to ${newOwner} again.`;
}
