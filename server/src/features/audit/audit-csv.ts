import { type AuditEntry, maxExportedEntries } from '@portal/contract/audit';
import type { AuditPage } from '../../audit/audit-search.store.ts';

const columns: readonly (readonly [header: string, value: (entry: AuditEntry) => unknown])[] = [
  ['First', ({ at }) => at],
  ['Last', ({ at, lastAt }) => lastAt ?? at],
  ['Attempts', ({ attempts }) => attempts],
  ['User', ({ username }) => username],
  ['Action', ({ action }) => action],
  ['Kind', ({ resourceKind }) => resourceKind],
  ['Resource', ({ resource }) => resource],
  ['Name', ({ resourceName }) => resourceName],
  ['Description', ({ description }) => description],
  ['Outcome', ({ outcome }) => outcome],
  ['Reason', ({ reason }) => reason],
  ['Before', ({ before }) => before],
  ['After', ({ after }) => after],
  ['Address', ({ address }) => address],
  ['User agent', ({ userAgent }) => userAgent],
  ['Request id', ({ requestId }) => requestId],
  ['Entry', ({ id }) => id],
];

/**
 * Writes entries as CSV, page by page, while they are sent. The last line says so if there are more
 * than an export may hold, or if not everything was searched.
 */
export async function* writeCsv(
  first: AuditPage,
  readPage: (after: string) => Promise<AuditPage>,
): AsyncIterable<Uint8Array> {
  const encode = (lines: readonly (readonly unknown[])[]) =>
    Buffer.from(lines.map((cells) => `${cells.map(toCell).join(',')}\r\n`).join(''));
  // The byte order mark makes spreadsheets read the file as UTF-8.
  yield Buffer.from('\uFEFF');
  yield encode([columns.map(([header]) => header)]);
  let exported = 0;
  for (let page = first; ; page = await readPage(page.next)) {
    yield encode(page.entries.map((entry) => columns.map(([, value]) => value(entry))));
    exported += page.entries.length;
    if (page.next === null) {
      if (page.searchedSince !== null) yield encode([[`Entries before ${page.searchedSince} were not searched.`]]);
      return;
    }
    if (exported >= maxExportedEntries) {
      yield encode([[`These are the newest ${maxExportedEntries}. To export older entries, set an earlier end.`]]);
      return;
    }
  }
}

/**
 * A spreadsheet would run text that starts with one of these characters as a formula. Those in East
 * Asian languages accept the full width of them, too.
 */
const formula = /^[=+\-@＝＋－＠\t\r]/;

/** Formats one cell per RFC 4180. */
export function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
