import { splitAtHidden } from './hidden-characters.ts';
import styles from './platform-text.module.css';

/**
 * Shows a name from a platform. Its direction does not affect the text around it, and its hidden
 * characters are visible.
 */
export function PlatformText({ text }: { text: string }) {
  const parts = splitAtHidden(text);
  let at = 0;
  return (
    <bdi>
      {parts.map((part) => {
        at += part.text.length;
        return part.isHidden ? (
          <span key={at} className={styles.hidden} title="A hidden character">
            {part.text}
          </span>
        ) : (
          part.text
        );
      })}
    </bdi>
  );
}
