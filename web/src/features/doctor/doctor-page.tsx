import { Button } from '@mantine/core';
import { type Examination, examineEnvironment } from '@portal/contract/doctor';
import { IconStethoscope } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { formatPlural } from '../../format/numbers.ts';
import { useRefusal, useSession } from '../../session/use-session.ts';
import { CopyButton } from '../../ui/copyable.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { StatusChip } from '../../ui/status-chip.tsx';
import styles from './doctor.module.css';

/**
 * Shows how Helium and the data sources answer, and the settings that fit. Without roles, the
 * server sends no details of data sources.
 */
export function DoctorPage() {
  const { session } = useSession();
  const refusal = useRefusal('doctor.view');
  const examine = useMutation({ mutationFn: () => call(examineEnvironment, {}) });
  const { data: report } = examine;
  return (
    <Page
      crumbs={[{ label: 'Doctor' }]}
      title="Doctor"
      lead={`Asks Helium and the data sources of ${session.environment.name} for what the portal needs, and shows how they answer. It changes nothing.`}
      actions={
        refusal === null && (
          <Button
            variant="default"
            leftSection={<IconStethoscope size={16} stroke={1.6} aria-hidden />}
            loading={examine.isPending}
            onClick={() => examine.mutate()}
          >
            Examine
          </Button>
        )
      }
    >
      {refusal !== null && <Empty text={refusal} />}
      {examine.isError && <ProblemNote problem={examine.error} />}
      {refusal === null && !report && !examine.isError && (
        <Empty
          text={examine.isPending ? 'Examining …' : 'Nothing has been examined yet.'}
          hint="It takes some seconds."
        />
      )}
      {report && (
        <>
          <Verdict isGood={report.isGood} examinations={report.examinations} />
          {report.suggestion !== '' && <Suggestion yaml={report.suggestion} />}
          <ul className={styles.list} aria-label="Examinations">
            {report.examinations.map((examination) => (
              <li key={examination.title}>
                <details className={styles.examination} open={!examination.isGood}>
                  <summary>
                    <span className={styles.title}>
                      <h2>{examination.title}</h2>
                      <StatusChip
                        tone={examination.isGood ? 'success' : 'danger'}
                        label={examination.isGood ? 'OK' : 'Problem'}
                      />
                    </span>
                  </summary>
                  {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
                  <pre tabIndex={0} className={styles.answer}>
                    {examination.lines.join('\n')}
                  </pre>
                </details>
              </li>
            ))}
          </ul>
        </>
      )}
    </Page>
  );
}

function Verdict({ isGood, examinations }: { isGood: boolean; examinations: readonly Examination[] }) {
  const problems = examinations.filter((each) => !each.isGood).length;
  if (isGood) return <p role="status">The portal can work with this environment.</p>;
  return (
    <p role="status">
      The portal cannot work with all of this environment
      {problems > 0 && `: ${problems} of ${formatPlural(examinations.length, 'examination')} found a problem`}.
    </p>
  );
}

function Suggestion({ yaml }: { yaml: string }) {
  return (
    <section className={styles.suggestion} aria-label="Suggested settings">
      <div className={styles.head}>
        <h2>Suggested settings</h2>
        <CopyButton value={yaml} label="Copy the suggested settings" />
      </div>
      <p>
        Set these lines in the portal’s configuration file, restart the portal, and examine again. No change was tried:
        verify the toggle of functions with <code>npm run doctor -- --toggle</code>, and the write style as described
        below.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <pre tabIndex={0} className={styles.answer}>
        {yaml}
      </pre>
    </section>
  );
}
