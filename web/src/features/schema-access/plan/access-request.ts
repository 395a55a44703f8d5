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
import { call } from '../../../api/call.ts';

/** The schema to grant access to: that of an app the caller sees, or one in a data source. */
export type AccessTarget =
  | { readonly appId: string; readonly schemaName: string }
  | { readonly dataSource: string; readonly schemaName: string };

/** The reviewed plan, and the reason for the request. */
interface Consent {
  readonly expected: string;
  readonly reason?: string;
}

/** A request to change owners, with a dry run that shows its effect. */
export interface AccessRequest {
  readonly kind: 'grant' | 'revert';
  /** Distinguishes its plan from those of other requests. */
  readonly key: readonly string[];
  readonly schemaName: string;
  /** The title of the dialog. */
  readonly title: string;
  readonly confirmLabel: string;
  /** The title of every error of this request. */
  readonly failureTitle: string;
  readonly plan: (signal: AbortSignal) => Promise<AccessPlan>;
  readonly run: (consent: Consent) => Promise<AccessActions>;
}

export function createGrantRequest(environment: string, teamUser: string, target: AccessTarget): AccessRequest {
  const { schemaName, ...location } = target;
  const context = { environment, teamUser };
  return {
    kind: 'grant',
    key: ['grant', teamUser, schemaName, ...Object.values(location)],
    schemaName,
    title: `Grant ${teamUser} access to ${schemaName}?`,
    confirmLabel: 'Grant Access',
    failureTitle: 'Failed to grant access!',
    plan: (signal) => call(planAccess, { ...context, ...('appId' in target ? location : target) }, { signal }),
    run: (consent) =>
      'appId' in target
        ? call(migrateApp, { ...context, appId: target.appId, ...consent })
        : call(migrateSchema, { ...context, ...target, ...consent }),
  };
}

export function createRevertRequest(environment: string, { id, team, schemaName }: AccessGrant): AccessRequest {
  return {
    kind: 'revert',
    key: ['revert', id],
    schemaName,
    title: `Revert the access of ${team} to ${schemaName}?`,
    confirmLabel: 'Revert',
    failureTitle: 'Failed to revert access!',
    plan: (signal) => call(planRevert, { environment, grantId: id }, { signal }),
    run: async (consent) => {
      const { actions } = await call(revertAccess, { environment, grantId: id, ...consent });
      return { actions, grantId: id };
    },
  };
}
