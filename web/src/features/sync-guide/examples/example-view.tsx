import { CodeView } from '../../../ui/code-view.tsx';
import styles from '../sync-guide.module.css';
import type { Example } from './examples.ts';

/** Most examples stand there whole. */
const maxHeightPx = 900;

/** The same objects as Helium and as Journey write them, side by side where there is room. */
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
