import {
  type AccessActions,
  type AccessGrant,
  type AccessPlan,
  migrateApp,
  migrateSchema,
  planAccess,
  planRevert,
  revertAccess,
} from '@portal/contract/schema-access';
import { call } from '../../../lib/call.ts';

/** Whose objects change hands: those of an app the caller sees, or of a schema in a data source. */
export type AccessTarget =
  | { readonly appId: string; readonly schemaName: string }
  | { readonly dataSource: string; readonly schemaName: string };

/** The plan that was read, and why somebody asks for it. */
interface Consent {
  readonly expected: string;
  readonly reason?: string;
}

/** Something that changes owners, with the dry run that says what it would do. */
export interface AccessAct {
  readonly kind: 'grant' | 'revert';
  /** Tells its plan from those of other acts. */
  readonly key: readonly string[];
  readonly schemaName: string;
  /** What the dialog asks. */
  readonly question: string;
  readonly verb: string;
  /** The title of everything that goes wrong with it. */
  readonly failure: string;
  readonly plan: (signal: AbortSignal) => Promise<AccessPlan>;
  readonly run: (consent: Consent) => Promise<AccessActions>;
}

export function grantOf(environment: string, teamUser: string, target: AccessTarget): AccessAct {
  const { schemaName, ...where } = target;
  const about = { environment, teamUser };
  return {
    kind: 'grant',
    key: ['grant', teamUser, schemaName, ...Object.values(where)],
    schemaName,
    question: `Grant ${teamUser} access to ${schemaName}?`,
    verb: 'Grant Access',
    failure: 'Failed to grant access!',
    plan: (signal) => call(planAccess, { ...about, ...('appId' in target ? where : target) }, { signal }),
    run: (consent) =>
      'appId' in target
        ? call(migrateApp, { ...about, appId: target.appId, ...consent })
        : call(migrateSchema, { ...about, ...target, ...consent }),
  };
}

export function revertOf(environment: string, { id, team, schemaName }: AccessGrant): AccessAct {
  return {
    kind: 'revert',
    key: ['revert', id],
    schemaName,
    question: `Take ${schemaName} back from ${team}?`,
    verb: 'Revert',
    failure: 'Failed to revert access!',
    plan: (signal) => call(planRevert, { environment, grantId: id }, { signal }),
    run: async (consent) => {
      const { actions } = await call(revertAccess, { environment, grantId: id, ...consent });
      return { actions, grantId: id };
    },
  };
}
