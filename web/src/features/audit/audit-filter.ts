import type { getAudit } from '@portal/contract/audit';
import type { RequestOf } from '@portal/contract/endpoint';

export const auditOutcomes = ['done', 'failed', 'refused'] as const;
export type AuditOutcome = (typeof auditOutcomes)[number];

/**
 * What the audit page shows, as it stands in the address. Everything is optional; `entry` is the
 * opened one.
 */
export interface AuditFilter {
  readonly search?: string;
  readonly user?: string;
  readonly action?: string;
  readonly outcome?: AuditOutcome;
  /** An app id, or another resource. */
  readonly app?: string;
  /** ISO instants, so that a link shows the same to somebody in another zone. */
  readonly from?: string;
  readonly to?: string;
  readonly entry?: string;
}

/**
 * Reads an address, whatever stands in it: what cannot be meant is left out. Numbers are texts that
 * look like one.
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
  return withoutUndefined({
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

/** The query of the call. */
export function auditQueryOf(filter: AuditFilter, after: string | null): RequestOf<typeof getAudit> {
  return withoutUndefined({
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

/** Does the filter leave anything out? The opened entry does not. */
export function isFiltered({ entry: _, ...filter }: AuditFilter): boolean {
  return Object.keys(filter).length > 0;
}

/**
 * An ISO instant as the value of a date-and-time field in the reader's zone, to the minute; '' for
 * none.
 */
export function fieldOfInstant(instant: string | undefined): string {
  const at = instant === undefined ? Number.NaN : Date.parse(instant);
  if (!Number.isFinite(at)) return '';
  const zoneMs = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - zoneMs).toISOString().slice(0, 16);
}

/** The inverse of fieldOfInstant; an empty or half-typed field is no instant. */
export function instantOfField(field: string): string | undefined {
  const at = field === '' ? Number.NaN : Date.parse(field);
  return Number.isFinite(at) ? new Date(at).toISOString() : undefined;
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(record: T): Defined<T> {
  const defined: Defined<T> = {};
  for (const key in record)
    if (record[key] !== undefined) defined[key] = record[key] as Exclude<T[typeof key], undefined>;
  return defined;
}
