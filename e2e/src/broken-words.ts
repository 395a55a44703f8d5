import type { Page } from 'playwright-core';

/** Longer words than this may be broken: no column is wide enough for a name of 300 letters. */
const maxLetters = 44;

/**
 * Returns the words in the cells of tables that are broken over two lines, with a bar where the
 * first line ends. A hyphen ends a word.
 */
export function readBrokenWords(page: Page): Promise<string[]> {
  return page.evaluate((max) => {
    const broken: string[] = [];
    for (const cell of document.querySelectorAll('td')) {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node; node = texts.nextNode()) {
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
  }, maxLetters);
}
