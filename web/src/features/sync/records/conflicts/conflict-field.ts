import type { ConflictField } from '@portal/contract/sync/conflicts';
import { useCallback } from 'react';
import { useAddress } from '../../../../state/use-address.ts';
import type { ShownConflicts } from './use-conflicts.ts';

/**
 * Returns a field as it is in the address: 'visit.note', or 'visit.' for records that one side
 * deleted.
 */
export function toFieldName({ table, column }: ConflictField): string {
  return `${table}.${column ?? ''}`;
}

/** Names of tables and columns contain no dots. Returns null for any other text. */
export function parseFieldName(text: string): ConflictField | null {
  const [table, column, ...rest] = text.split('.');
  if (!table || column === undefined || rest.length > 0) return null;
  return { table, column: column || null };
}

export function describeField({ table, column }: ConflictField): string {
  return column === null ? `${table}, deleted on one side` : `${table}.${column}`;
}

/** Returns the conflicts to show, from the address, and a function that shows others. */
export function useShownConflicts(): [ShownConflicts, (shown: ShownConflicts) => void] {
  const [address, setAddress] = useAddress();
  const show = useCallback(
    ({ showsReviewed, field }: ShownConflicts) =>
      setAddress(
        ({ 'conflicts.reviewed': _reviewed, 'conflicts.field': _field, 'conflicts.page': _page, ...rest }) => ({
          ...rest,
          ...(showsReviewed && { 'conflicts.reviewed': 'yes' }),
          ...(field && { 'conflicts.field': toFieldName(field) }),
        }),
      ),
    [setAddress],
  );
  const { 'conflicts.reviewed': reviewed, 'conflicts.field': field = '' } = address;
  return [{ showsReviewed: reviewed === 'yes', field: parseFieldName(field) }, show];
}
