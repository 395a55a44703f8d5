/** One examined call or system. */
export interface Section {
  readonly title: string;
  readonly lines: readonly string[];
  /** Whether the portal can work with it as it is configured. */
  readonly isGood: boolean;
  /**
   * Whether every user of the doctor may see the lines. Otherwise only operators may: the lines
   * name roles, versions, or missing protection.
   */
  readonly isPublic?: true;
}

const operatorsOnly = 'Only administrators see the details. `npm run doctor` shows them on the server.';

/** Returns the section as a user without a role may see it. */
export function toPublicSection(section: Section): Section {
  return section.isPublic ? section : { ...section, lines: [operatorsOnly] };
}

export function formatSection({ title, lines, isGood }: Section): string {
  return [`${isGood ? 'ok     ' : 'PROBLEM'}  ${title}`, ...lines.map((line) => `           ${line}`)].join('\n');
}
