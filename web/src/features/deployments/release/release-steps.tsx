import type { ReleaseStep } from '@portal/contract/release-page';
import { startTransition, useOptimistic } from 'react';
import { CheckBox } from '../../../ui/check-box.tsx';
import { PlatformText } from '../../../ui/platform-text.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import styles from './release.module.css';
import { type StepMark, useMarkStep } from './use-release.ts';

/** The steps of a release, with who marked each as done, and when. */
export function ReleaseSteps(props: {
  scheduleId: string;
  steps: readonly ReleaseStep[];
  /** Why the marks cannot be changed; null if they can. */
  refusal: string | null;
}) {
  const { steps, refusal } = props;
  const { mutateAsync } = useMarkStep(props.scheduleId);
  const done = steps.filter((step) => step.done !== null).map(({ step }) => step);
  // At once: otherwise the browser's mark would go away until the call has begun.
  const [shown, show] = useOptimistic(done, (before, { step, isDone }: StepMark) =>
    isDone ? [...before, step] : before.filter((other) => other !== step),
  );
  const mark = (change: StepMark) =>
    startTransition(async () => {
      show(change);
      // The mutation shows a failure.
      await mutateAsync(change).catch(() => undefined);
    });
  if (steps.length === 0) return <p className="note">No steps are configured.</p>;
  return (
    <>
      <ul className={styles.steps}>
        {steps.map(({ step, done }) => (
          <li key={step}>
            <CheckBox
              label={<PlatformText text={step} />}
              checked={shown.includes(step)}
              disabled={refusal !== null}
              onChange={(isChecked) => mark({ step, isDone: isChecked })}
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
