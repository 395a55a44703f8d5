import * as contract from '@portal/contract/audit';
import { InvalidPayload } from '@portal/edge/problems';
import { type AuditFilter, listRecentChanges, searchEntries, type VisibleEntries } from '../../audit/audit.store.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import type { Caller } from '../../session/caller.ts';

const pageSize = 100;
const maxRecentChanges = 8;

export function auditRoutes({ pool, heavyWork, permissions }: Dependencies): RoutesOf<typeof contract> {
  /** Without roles, users see what concerns the apps that the platform lists for them. */
  const findVisible = async (caller: Caller): Promise<VisibleEntries> => {
    if (permissions.hasRoles) return null;
    const { byId } = await caller.apps({ forReading: true });
    return { username: caller.username, appIds: [...byId.keys()] };
  };

  return {
    getAudit: route(contract.getAudit, async ({ caller, input }) => {
      checkFilter(input);
      const visible = await findVisible(caller);
      const { entries, total } = await heavyWork.run(caller, (pool) =>
        searchEntries(pool, caller.environment.name, input, { pageSize, visible }),
      );
      return { entries, total, next: entries.length < pageSize ? null : (entries.at(-1)?.id ?? null) };
    }),

    getRecentChanges: route(contract.getRecentChanges, async ({ caller }) =>
      listRecentChanges(pool, caller.environment.name, {
        limit: maxRecentChanges,
        visible: await findVisible(caller),
      }),
    ),
  };
}

/**
 * Checks that the text fields of the filter can be converted to times and numbers by the database.
 */
function checkFilter(filter: AuditFilter): void {
  const { from, to, after } = filter;
  for (const [name, value] of Object.entries({ from, to })) {
    if (value !== undefined && !isInstant(value)) throw new InvalidPayload({ [name]: 'must be a date or time' });
  }
  if (after !== undefined && !/^\d{1,18}$/.test(after))
    throw new InvalidPayload({ after: 'must be an audit entry id' });
}

function isInstant(text: string): boolean {
  return /^\d{4}-\d\d-\d\d(T|$)/.test(text) && !Number.isNaN(Date.parse(text));
}
