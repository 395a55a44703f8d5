import type { SyncIntegration } from '@portal/contract/sync/integration';
import { useMemo } from 'react';
import { formatCount } from '../../../../format/numbers.ts';
import { CheckBox } from '../../../../ui/check-box.tsx';
import { CountFilter } from '../../../../ui/count-filter.tsx';
import { ExplainedButton } from '../../../../ui/explained-button.tsx';
import { DataTable } from '../../../../ui/table/data-table.tsx';
import styles from '../records-modal.module.css';
import { maxRecords } from '../use-records.ts';
import { useChangeValueDialog } from './change-value-modal.tsx';
import { conflictColumns, reviewColumn } from './conflict-columns.tsx';
import { describeField, parseFieldName, toFieldName, useShownConflicts } from './conflict-field.ts';
import { formatConflictCount } from './format-conflict-count.ts';
import { useKeptFiles } from './kept-files.tsx';
import { ReviewField } from './review-field.tsx';
import { useConflicts, useReviewConflicts } from './use-conflicts.ts';

/**
 * Changes both sides made to the same field, with both values and the winner, until someone reviews
 * them.
 */
export function Conflicts({ integration, refusal }: { integration: SyncIntegration; refusal: string | null }) {
  const [shown, show] = useShownConflicts();
  const { showsReviewed, field } = shown;
  const conflicts = useConflicts(integration.id, shown);
  const review = useReviewConflicts();
  const keptFiles = useKeptFiles(integration, refusal);
  const changing = useChangeValueDialog(integration.id);
  const hasFiles = conflicts.data?.conflicts.some(({ files }) => files.length > 0) ?? false;
  const columns = useMemo(
    () => [...conflictColumns, ...(showsReviewed ? [reviewColumn] : []), ...(hasFiles ? [keptFiles.column] : [])],
    [showsReviewed, hasFiles, keptFiles.column],
  );
  const fields = conflicts.data?.fields ?? [];
  const chosen = field && toFieldName(field);
  const isListed = field === null || fields.some((one) => toFieldName(one) === chosen);
  const shownFields = isListed ? fields : [{ ...field, count: 0 }, ...fields];
  const toReview = fields.find((one) => toFieldName(one) === chosen)?.count ?? 0;
  const total = conflicts.data?.total ?? 0;
  return (
    <>
      <p className="note">
        Both sides changed the same value at the same time, or a value changed without an edit in either log. The
        overridden value is kept here, and an overridden file for as long as the configuration says. A review keeps what
        won or changes the value.
        {total > maxRecords && (
          <strong>
            {' '}
            Showing the newest {formatCount(maxRecords)} of {formatConflictCount(total)}.
          </strong>
        )}
      </p>
      <DataTable
        name="Conflicts"
        rows={conflicts.data?.conflicts}
        rowId={({ no }) => no}
        columns={columns}
        defaultSort={{ id: 'at', descending: true }}
        loading={conflicts.isPending}
        error={conflicts.error}
        onRetry={() => void conflicts.refetch()}
        emptyText={showsReviewed ? 'No conflicts.' : 'No conflicts to review.'}
        csvName={`sync-conflicts-${integration.appName}`}
        addressPrefix="conflicts"
        toolbar={
          <>
            <CheckBox
              label="Show reviewed"
              checked={showsReviewed}
              onChange={(isChecked) => show({ showsReviewed: isChecked, field })}
            />
            {shownFields.length > 0 && (
              <CountFilter
                legend="Show only one field"
                counts={shownFields.map((one) => ({ name: toFieldName(one), tone: 'warning', count: one.count }))}
                labels={Object.fromEntries(shownFields.map((one) => [toFieldName(one), describeField(one)]))}
                chosen={chosen}
                onChange={(name) => show({ showsReviewed, field: name === null ? null : parseFieldName(name) })}
              />
            )}
            {field && toReview > 0 && (
              <ReviewField appId={integration.id} field={field} count={toReview} refusal={refusal} />
            )}
          </>
        }
        actions={(conflict) => {
          const { no, table, id, column, open, files, review: reviewed } = conflict;
          if (reviewed !== null || open !== null) return null;
          const buttonProps = { variant: 'default', size: 'compact-sm', reason: refusal } as const;
          return (
            <span className={styles.rowActions}>
              <ExplainedButton
                {...buttonProps}
                aria-label={`Acknowledge ${column ?? 'deletion'} of ${table} ${id}`}
                hint="Keeps the value that won"
                loading={review.isPending && review.variables.nos?.[0] === no}
                onClick={() => review.mutate({ appId: integration.id, take: 'winner', nos: [no] })}
              >
                Acknowledge
              </ExplainedButton>
              {column !== null && files.length === 0 && (
                <ExplainedButton
                  {...buttonProps}
                  aria-label={`Change ${column} of ${table} ${id}`}
                  onClick={() => changing.ask(conflict)}
                >
                  Change
                </ExplainedButton>
              )}
            </span>
          );
        }}
      />
      {keptFiles.dialog}
      {changing.dialog}
    </>
  );
}
