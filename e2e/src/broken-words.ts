import type { Page } from 'playwright-core';

/** SQL, logs and commands break anywhere. */
const code = 'pre, code, .cm-content, [data-log]';

/** Longer words than this may be broken: no column is wide enough for a name of 300 letters. */
const maxLettersOfCell = 44;
const maxLettersOnPhone = 24;

/** Returns the words in the cells of tables that are broken. */
export function readBrokenWords(page: Page): Promise<string[]> {
  return readBroken(page, 'tbody :is(th, td)', maxLettersOfCell);
}

/**
 * Returns the words that are broken in a window as narrow as a phone, in elements of this selector.
 */
export function readBrokenWordsOnPhone(page: Page, selector: string): Promise<string[]> {
  return readBroken(page, selector, maxLettersOnPhone);
}

/** Returns broken words with a bar where the first line ends. A hyphen ends a word. */
function readBroken(page: Page, selector: string, maxLetters: number): Promise<string[]> {
  return page.evaluate(
    ({ selector, max, code }) => {
      const broken: string[] = [];
      for (const element of document.querySelectorAll(selector)) {
        const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        for (let node = texts.nextNode(); node; node = texts.nextNode()) {
          if (node.parentElement?.closest(code)) continue;
          for (const { 0: word, index } of (node.textContent ?? '').matchAll(/[\p{L}\p{N}_.:@]+/gu)) {
            if (word.length > max) continue;
            const tops = [...word].map((_, at) => readTop(node, index + at));
            const end = tops.findIndex((top, at) => at > 0 && top > (tops[at - 1] ?? top));
            if (end > 0) broken.push(`${word.slice(0, end)}|${word.slice(end)}`);
          }
        }
      }
      return broken;

      function readTop(node: Node, at: number): number {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        return range.getBoundingClientRect().top;
      }
    },
    { selector, max: maxLetters, code },
  );
}
