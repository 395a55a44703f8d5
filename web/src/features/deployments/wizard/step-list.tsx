import { IconCheck } from '@tabler/icons-react';
import type { Draft } from './draft.ts';
import styles from './wizard.module.css';

const steps = [0, 1, 2] as const;

export function getStepNames(product: string): readonly string[] {
  return [`Select ${product}`, 'Fill in Release Details', 'Confirmation'];
}

/** Shows the progress in the wizard, with links back to earlier steps. */
export function StepList(props: { step: Draft['step']; product: string; onBack: (step: Draft['step']) => void }) {
  const names = getStepNames(props.product);
  return (
    <ol className={styles.steps} aria-label="Steps">
      {steps.map((step) => (
        <li key={step} aria-current={step === props.step ? 'step' : undefined}>
          <span className={styles.stepNumber} aria-hidden>
            {step < props.step ? <IconCheck size={13} stroke={2.2} /> : step + 1}
          </span>
          {step < props.step ? (
            <button type="button" className="plain-link" onClick={() => props.onBack(step)}>
              {names[step]}
            </button>
          ) : (
            names[step]
          )}
        </li>
      ))}
    </ol>
  );
}
