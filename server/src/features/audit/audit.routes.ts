import * as contract from '@portal/contract/audit';
import { InvalidPayload } from '@portal/edge/problems';
import { listRecentChanges, type VisibleEntries } from '../../audit/audit.store.ts';
import { type AuditFilter, countEntries, cursorPattern, searchEntries } from '../../audit/audit-search.store.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toAttachment } from '../../http/attachment.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import type { Caller } from '../../session/caller.ts';
import { writeCsv } from './audit-csv.ts';

const pageSize = 100;
const exportPageSize = 1_000;
const maxRecentChanges = 8;

export function auditRoutes({ pool, heavyWork, permissions }: Dependencies): RoutesOf<typeof contract> {
  /** Without roles, users see what concerns the apps that the platform lists for them. */
  const findVisible = async (caller: Caller): Promise<VisibleEntries> => {
    if (permissions.hasRoles) return null;
    const { byId } = await caller.apps({ forReading: true });
    return { username: caller.username, appIds: [...byId.keys()] };
  };

  return {
    getAudit: route(contract.getAudit, async ({ caller, input, signal }) => {
      checkFilter(input);
      const filter = { ...input, visible: await findVisible(caller) };
      const search = (pool: Dependencies['pool']) => searchEntries(pool, caller.environment.name, filter, pageSize);
      return { ...(await heavyWork.run(caller, search, signal)), isPartial: filter.visible !== null };
    }),

    countAudit: route(contract.countAudit, async ({ caller, input, signal }) => {
      checkFilter(input);
      const filter = { ...input, visible: await findVisible(caller) };
      return heavyWork.run(caller, (pool) => countEntries(pool, caller.environment.name, filter), signal);
    }),

    exportAudit: route(contract.exportAudit, async ({ caller, input, reply, signal, noted }) => {
      checkFilter(input);
      const { name } = caller.environment;
      const filter = { ...input, visible: await findVisible(caller) };
      const readPage = (after: string | undefined) =>
        heavyWork.run(caller, (pool) => searchEntries(pool, name, { ...filter, after }, exportPageSize), signal);
      const first = await readPage(undefined);
      noted.after = input;
      reply.header('content-disposition', toAttachment(`audit ${name}.csv`));
      return writeCsv(first, readPage);
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
 * Checks that the text fields of the filter can be converted to times and a position by the
 * database.
 */
function checkFilter(filter: AuditFilter): void {
  const { from, to, after, resource, resourceKind } = filter;
  for (const [name, value] of Object.entries({ from, to })) {
    if (value !== undefined && !isInstant(value)) throw new InvalidPayload({ [name]: 'must be a date or time' });
  }
  if (resourceKind !== undefined && resource === undefined)
    throw new InvalidPayload({ resourceKind: 'needs the id of a resource' });
  if (after !== undefined && !isCursor(after))
    throw new InvalidPayload({ after: 'must be the end of a page of the audit trail' });
}

function isInstant(text: string): boolean {
  return /^\d{4}-\d\d-\d\d(T|$)/.test(text) && !Number.isNaN(Date.parse(text));
}

function isCursor(text: string): boolean {
  const [, at = ''] = text.match(cursorPattern) ?? [];
  return isInstant(at);
}
