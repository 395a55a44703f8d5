/** Reads the known limits of the sync from the document that also names its tests. */

interface LimitGroup {
  readonly title: string;
  /** Plain text, with code in backticks. */
  readonly limits: readonly string[];
}

/**
 * Returns what the sync guide shows of the document, as JSON.
 *
 * @param document Markdown, with a section "Known limits" of titled lists
 */
export function writeKnownLimits(document: string): string {
  return `${JSON.stringify(readKnownLimits(document), null, 2)}\n`;
}

export function readKnownLimits(document: string): LimitGroup[] {
  const [, section = ''] = document.split(/^## Known limits$/m);
  const [limits = ''] = section.split(/^## /m);
  const [, ...groups] = limits.split(/^### /m);
  return groups.map((group) => {
    const [title = '', ...items] = group.split(/\n+(?=- )|\n{2,}/);
    return { title: title.trim(), limits: items.map(toLine).filter((text) => text !== '') };
  });
}

function toLine(item: string): string {
  return item.replace(/^- /, '').replaceAll(/\s+/g, ' ').trim();
}
