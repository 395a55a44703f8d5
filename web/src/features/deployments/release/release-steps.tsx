import { Checkbox } from '@mantine/core';
import type { ReleaseStep } from '@portal/contract/release-page';
import { PlatformText } from '../../../ui/platform-text.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import styles from './release.module.css';
import { useMarkStep } from './use-release.ts';

/** The steps of a release, with who marked each as done, and when. */
export function ReleaseSteps(props: {
  scheduleId: string;
  steps: readonly ReleaseStep[];
  /** Why the marks cannot be changed; null if they can. */
  refusal: string | null;
}) {
  const { steps, refusal } = props;
  const mark = useMarkStep(props.scheduleId);
  const pending = mark.isPending ? mark.variables : null;
  if (steps.length === 0) return <p className="note">No steps are configured.</p>;
  return (
    <>
      <ul className={styles.steps}>
        {steps.map(({ step, done }) => (
          <li key={step}>
            <Checkbox
              label={<PlatformText text={step} />}
              checked={pending?.step === step ? pending.isDone : done !== null}
              disabled={refusal !== null}
              onChange={(event) => mark.mutate({ step, isDone: event.currentTarget.checked })}
            />
            {done && (
              <span className="note">
                {done.by}, <RelativeTime at={done.at} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {refusal !== null && <p className="note">{refusal}</p>}
    </>
  );
}
