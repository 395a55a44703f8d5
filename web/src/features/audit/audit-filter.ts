import { exportAudit, type getAudit } from '@portal/contract/audit';
import type { RequestOf } from '@portal/contract/endpoint';

export const auditOutcomes = ['done', 'failed', 'refused'] as const;
export type AuditOutcome = (typeof auditOutcomes)[number];

/**
 * The state of the audit page in the address. Everything is optional; `entry` is the opened one.
 */
export interface AuditFilter {
  readonly search?: string;
  readonly user?: string;
  readonly action?: string;
  readonly outcome?: AuditOutcome;
  /** An app id. */
  readonly app?: string;
  /** ISO instants, so that a link shows the same entries in any time zone. */
  readonly from?: string;
  readonly to?: string;
  readonly entry?: string;
}

/**
 * Reads the filter from an address and drops invalid values. Accepts numbers, because ids may look
 * like one.
 */
export function readAuditFilter(search: Readonly<Record<string, unknown>>): AuditFilter {
  const text = (key: string) => {
    const value = search[key];
    return typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? String(value) : undefined;
  };
  const instant = (key: string) => {
    const value = text(key);
    return value !== undefined && Number.isFinite(Date.parse(value)) ? value : undefined;
  };
  return removeUndefined({
    search: text('search'),
    user: text('user'),
    action: text('action'),
    outcome: auditOutcomes.find((outcome) => outcome === search.outcome),
    app: text('app'),
    from: instant('from'),
    to: instant('to'),
    entry: text('entry'),
  });
}

/** Converts the filter to the parameters of the call. */
export function toAuditQuery(filter: AuditFilter, after: string | null): RequestOf<typeof getAudit> {
  return removeUndefined({
    search: filter.search,
    username: filter.user,
    action: filter.action,
    outcome: filter.outcome,
    resource: filter.app,
    from: filter.from,
    to: filter.to,
    after: after ?? undefined,
  });
}

/** Returns the address of the matching entries as CSV. */
export function toExportAddress(filter: AuditFilter): string {
  const query = Object.entries(toAuditQuery(filter, null));
  const parameters = query.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return `${exportAudit.path}?${new URLSearchParams(parameters)}`;
}

/** Whether the filter hides any entries. The opened entry does not count. */
export function isFiltered({ entry: _, ...filter }: AuditFilter): boolean {
  return Object.keys(filter).length > 0;
}

/**
 * Converts an ISO instant to the value of a date-time field in local time, to the minute; '' for
 * none.
 */
export function toFieldValue(instant: string | undefined): string {
  const at = instant === undefined ? Number.NaN : Date.parse(instant);
  if (!Number.isFinite(at)) return '';
  const zoneMs = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - zoneMs).toISOString().slice(0, 16);
}

/** Parses the value of a date-time field. Returns undefined for an empty or incomplete value. */
export function parseFieldValue(field: string): string | undefined {
  const at = field === '' ? Number.NaN : Date.parse(field);
  return Number.isFinite(at) ? new Date(at).toISOString() : undefined;
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function removeUndefined<T extends object>(record: T): Defined<T> {
  const defined: Defined<T> = {};
  for (const key in record)
    if (record[key] !== undefined) defined[key] = record[key] as Exclude<T[typeof key], undefined>;
  return defined;
}
