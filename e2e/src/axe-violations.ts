import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What WCAG 2.2 AA forbids and axe can tell, with where it is. */
export async function violations(page: Page): Promise<string[]> {
  // Evaluated, not added as a script: the content policy forbids that, and shall.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const tool: typeof axe = Reflect.get(globalThis, 'axe');
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await tool.run(document, { runOnly: { type: 'tag', values: tags } });
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)}`));
  });
}
