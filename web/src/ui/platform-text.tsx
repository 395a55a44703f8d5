import { Fragment } from 'react';
import { splitAtHidden } from './hidden-characters.ts';
import { LongWords } from './long-words.tsx';
import styles from './platform-text.module.css';

/**
 * Shows a name from a platform. Its direction does not affect the text around it, and its hidden
 * characters are visible. `wrapsWords`: as `LongWords` does, where the text is not cut off.
 */
export function PlatformText({ text, wrapsWords = false }: { text: string; wrapsWords?: boolean }) {
  const parts = splitAtHidden(text);
  let at = 0;
  return (
    <bdi>
      {parts.map((part) => {
        at += part.text.length;
        if (part.isHidden)
          return (
            <span key={at} className={styles.hidden} title="A hidden character">
              {part.text}
            </span>
          );
        return wrapsWords ? <LongWords key={at} text={part.text} /> : part.text;
      })}
    </bdi>
  );
}

/** Shows a text of several lines from a platform, each like a name, with `LongWords`. */
export function PlatformLines({ text }: { text: string }) {
  return (
    <span className={styles.lines}>
      {text.split(/\r?\n/).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a text never move
        <Fragment key={index}>
          {index > 0 && '\n'}
          <PlatformText text={line} wrapsWords />
        </Fragment>
      ))}
    </span>
  );
}
