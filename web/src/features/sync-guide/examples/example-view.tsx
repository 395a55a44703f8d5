import { CodeView } from '../../../ui/code-view.tsx';
import styles from '../sync-guide.module.css';
import type { Example } from './examples.ts';

/** Tall enough to show most examples without scrolling. */
const maxHeightPx = 900;

/** The same objects in Helium and in Journey, next to each other where there is room. */
export function ExampleView({ example }: { example: Example }) {
  return (
    <div className={styles.example}>
      <CodeView
        code={example.helium.trimEnd()}
        language="helium"
        label={`${example.title}: Helium`}
        maxHeightPx={maxHeightPx}
      />
      <CodeView
        code={example.journey.trimEnd()}
        language="xml"
        label={`${example.title}: Journey`}
        maxHeightPx={maxHeightPx}
      />
    </div>
  );
}
