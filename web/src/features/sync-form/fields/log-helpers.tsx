import { viewNoteReason } from '@portal/contract/sync/config';
import { parseNames } from '@portal/contract/sync/config-rules';
import { useRef, useState } from 'react';
import { formatPlural } from '../../../format/numbers.ts';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { SqlView } from '../../../ui/sql-view.tsx';
import { paths } from '../draft/draft.ts';
import { useForm } from '../draft/use-sync-form.ts';
import styles from '../sync-form.module.css';
import { useTestConnection } from '../use-sync-calls.ts';
import { Collapsible } from './form-section.tsx';
import { getBookmarkSql, getSkipTablesSql } from './helper-sql.ts';

/**
 * SQL that users can run for two of the fields. The list of skip tables can also be filled in by a
 * button.
 */
export function LogHelpers({ schema }: { schema: string }) {
  const { form } = useForm();
  return (
    <>
      {form.isNew && (
        <Collapsible summary="Bookmark: start from the current change log">
          <p className={styles.quiet}>
            Run this SQL in the app's database and enter the result as Change Log Min Version. Earlier changes are then
            not synced.
          </p>
          <SqlView sql={getBookmarkSql(schema)} label="SQL of the bookmark" />
        </Collapsible>
      )}
      <Collapsible summary="Which tables to skip">
        <p className={styles.quiet}>
          Views and materialized views have no change log, so they are skipped. When there are no materialized views,
          the listing query leaves a trailing comma, which must not be entered into Change Log Skip Tables.
        </p>
        <SqlView sql={getSkipTablesSql(schema)} label="SQL of the skip tables" />
        <FillSkipTables />
      </Collapsible>
    </>
  );
}

function FillSkipTables() {
  const { form, refusal } = useForm();
  const test = useTestConnection();
  const [resultText, setResultText] = useState('');
  // The user may change the field while the request is pending.
  const latest = useRef(form);
  latest.current = form;
  // The test is sent without the current list, which may be the reason it would fail.
  const sent = form.readConfig();
  const isJourneyIncomplete = form.draftProblems.some(({ field }) => field.startsWith('journey.'));
  const reason =
    refusal ??
    (isJourneyIncomplete || !('config' in sent)
      ? 'Fill in the Journey URL, username and password first. Both connections are needed to read the schema.'
      : null);
  const fill = () => {
    if (!('config' in sent)) return;
    const { heliumToJourney } = sent.config;
    const config = { ...sent.config, heliumToJourney: { ...heliumToJourney, changeLogSkipTables: [] } };
    test.mutate(config, {
      onSuccess({ notes, problems, helium, journey }) {
        const views = notes.filter(({ field, reason }) => field === null && reason === viewNoteReason);
        const before = parseNames(latest.current.value(paths.skipTables)).filter((name) => name.trim() !== '');
        const known = new Set(before.map((name) => name.toLowerCase()));
        const added = views.map(({ object }) => object).filter((name) => !known.has(name.toLowerCase()));
        if (!helium.reached || !journey.reached) {
          setResultText(`Could not connect to both platforms: ${helium.message} ${journey.message}`);
          form.setResponseProblems(problems);
        } else {
          setResultText(
            added.length === 0
              ? 'All views of the schema are already listed.'
              : `${formatPlural(added.length, 'view')} added.`,
          );
          if (added.length > 0) form.change({ [paths.skipTables]: [...before, ...added].join(',') });
        }
      },
    });
  };
  return (
    <div className={styles.row}>
      <ExplainedButton variant="default" reason={reason} loading={test.isPending} onClick={fill}>
        Fill in from the schema
      </ExplainedButton>
      <span role="status" className={styles.quiet}>
        {resultText}
      </span>
      {test.isError && <ProblemNote problem={test.error} />}
    </div>
  );
}
