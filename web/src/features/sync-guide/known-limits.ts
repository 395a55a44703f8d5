/** Reads the known limits of the sync from the document that also names its tests. */

export interface LimitGroup {
  readonly title: string;
  /** Plain text, with code in backticks. */
  readonly limits: readonly string[];
}

/** @param document Markdown, with a section "Known limits" of titled lists */
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

/** Splits a text at its backticks: every second part is code. */
export function splitCode(text: string): string[] {
  return text.split('`');
}
