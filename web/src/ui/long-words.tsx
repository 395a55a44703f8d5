import { Fragment } from 'react';
import { replaceHidden } from './hidden-characters.ts';
import styles from './long-words.module.css';
import { splitWords } from './split-words.ts';

/** Shorter words fit into a line of a narrow table cell. */
const minLength = 14;

/**
 * A sentence with long words, such as addresses. They move to the next line as a whole, and wrap
 * after their separators only where a line is too short for them. Hidden characters are drawn.
 */
export function LongWords({ text }: { text: string }) {
  let at = 0;
  return splitWords(replaceHidden(text)).map((word) => {
    at += word.length;
    if (word.length < minLength) return word;
    return (
      <span key={at} className={styles.word}>
        <BreakableWord text={word} />
      </span>
    );
  });
}

/** A word that wraps after its separators. */
export function BreakableWord({ text }: { text: string }) {
  return splitAtSeparators(text).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a word never move
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

function splitAtSeparators(word: string): string[] {
  return word.split(/(?<=[/?&=:._-])(?=[\w{])/);
}
