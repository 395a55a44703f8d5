import { instructionsWhenEmpty, tagOf } from '@portal/contract/deployments-rules';
import type { DraftFields } from './draft.ts';

export interface DraftFact {
  readonly name: string;
  readonly text: string;
}

/** Everything that is filled in, in words, in the order it was asked for. */
export function draftFacts(
  fields: DraftFields,
  names: { product: string; appName: (id: string) => string },
): DraftFact[] {
  const facts: [string, string | null][] = [
    ['Data Source', fields.dataSource],
    ['Developer Team', fields.team],
    ['JIRA Project', fields.jiraProject],
    [names.product, fields.appIds.map(names.appName).join(', ')],
    ['Release Tag', fields.releaseTag.trim()],
    ['Release Description', tagOf(fields.releaseTag)],
    ['Helium Release Group', fields.releaseGroup.trim()],
    ['Helium Release Name', fields.releaseName.trim()],
    ['Deployment Date', fields.deploymentDate],
    ['Instructions', fields.instructions.trim() || instructionsWhenEmpty],
  ];
  return facts.map(([name, text]) => ({ name, text: text || '–' }));
}

/** What is different in theirs. */
export function draftDifferences(mine: readonly DraftFact[], theirs: readonly DraftFact[]) {
  return mine.flatMap(({ name, text }, at) => {
    const their = theirs[at]?.text ?? '–';
    return text === their ? [] : [{ field: name, mine: text, theirs: their }];
  });
}
