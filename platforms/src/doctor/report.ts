/** One examined call or system. */
export interface Section {
  readonly title: string;
  readonly lines: readonly string[];
  /** Whether the portal can work with it as it is configured. */
  readonly isGood: boolean;
}

export function formatSection({ title, lines, isGood }: Section): string {
  return [`${isGood ? 'ok     ' : 'PROBLEM'}  ${title}`, ...lines.map((line) => `           ${line}`)].join('\n');
}
