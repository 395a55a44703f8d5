import type { SyncIntegration } from '@portal/contract/sync/integration';
import { formatPlural } from '../../../format/numbers.ts';
import { FormSection } from '../fields/form-section.tsx';
import styles from '../sync-form.module.css';

/** What the last run did not sync, or only to Journey, such as columns that Helium computes. */
export function LastRunWarnings({ warnings: { count, first } }: { warnings: SyncIntegration['mappingWarnings'] }) {
  const others = count - first.length;
  return (
    <FormSection title="Mapping" note="What the last run warned of.">
      <section className={`stack-s ${styles.notice}`} aria-label="Warnings of the last run">
        <ul className={styles.problems}>
          {first.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
          {others > 0 && <li>{formatPlural(others, 'more warning')}: test the connection to list all.</li>}
        </ul>
      </section>
    </FormSection>
  );
}
