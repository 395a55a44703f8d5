import type { ResponseOf } from '@portal/contract/endpoint';
import type { testConnection } from '@portal/contract/sync/config';
import { useEffect, useRef } from 'react';
import { formatPlural } from '../../../format/numbers.ts';
import { getLabel } from '../../../sync/field-labels.ts';
import { StatusChip } from '../../../ui/status-chip.tsx';
import { capitalize } from '../fields/form-fields.tsx';
import { Collapsible, FormSection } from '../fields/form-section.tsx';
import styles from '../sync-form.module.css';

type ConnectionTest = ResponseOf<typeof testConnection>;

/**
 * The result of a connection test: which platforms were reached, what prevents enabling the
 * integration, what it warns of, and what is not synced.
 */
export function ConnectionResult({ result }: { result: ConnectionTest }) {
  const { helium, journey, problems, notes } = result;
  const refused = notes.filter(({ severity }) => severity === 'refused');
  const warnings = notes.filter(({ severity }) => severity === 'warning');
  const unsynced = notes.filter(({ severity }) => severity === 'left-out');
  const shown = useRef<HTMLUListElement>(null);
  // The test may have been started with this section scrolled out of view.
  useEffect(() => {
    if (result) shown.current?.scrollIntoView({ block: 'nearest' });
  }, [result]);
  return (
    <FormSection title="Connection test" note="Values at the time of the test.">
      <ul ref={shown} className={styles.ends}>
        {[
          { name: 'Helium', ...helium },
          { name: 'Journey', ...journey },
        ].map(({ name, reached, message }) => (
          <li key={name}>
            <strong>{name}</strong>
            <StatusChip tone={reached ? 'success' : 'danger'} label={reached ? 'Reached' : 'Not reached'} />
            <span>{message}</span>
          </li>
        ))}
      </ul>
      {problems.length > 0 && (
        <div>
          <p>{formatPlural(problems.length, 'problem')} must be fixed before the integration can be enabled:</p>
          <ul className={styles.problems}>
            {problems.map(({ field, reason }) => (
              <li key={`${field} ${reason}`}>
                <strong>{getLabel(field)}</strong> {capitalize(reason)}
              </li>
            ))}
          </ul>
        </div>
      )}
      {warnings.length > 0 && (
        <section className={`stack-s ${styles.notice}`} aria-label="Warnings">
          <p>
            <strong>{formatPlural(warnings.length, 'warning')}.</strong> The integration can be saved. Check these
            first:
          </p>
          <NoteList notes={warnings} />
        </section>
      )}
      {refused.length > 0 && (
        <Notes title={`${formatPlural(refused.length, 'note')} on rejected objects`} notes={refused} />
      )}
      {unsynced.length > 0 && (
        <Notes title={`${formatPlural(unsynced.length, 'note')} on objects that are not synced`} notes={unsynced} />
      )}
    </FormSection>
  );
}

function Notes({ title, notes }: { title: string; notes: ConnectionTest['notes'] }) {
  return (
    <Collapsible summary={title}>
      <NoteList notes={notes} />
    </Collapsible>
  );
}

/** The names with the same reason are listed together. */
function NoteList({ notes }: { notes: ConnectionTest['notes'] }) {
  return (
    <ul className={styles.problems}>
      {[...new Set(notes.map(({ reason }) => reason))].map((reason) => (
        <li key={reason}>
          {reason}
          <ul className={styles.names}>
            {notes
              .filter((note) => note.reason === reason)
              .map(({ object, field }) => (
                <li key={`${object} ${field}`}>
                  <code>{field === null ? object : `${object}.${field}`}</code>
                </li>
              ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}
