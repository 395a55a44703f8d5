import { readFacts, wizardLabels } from '@portal/contract/deployments-fields';
import { instructionsWhenEmpty, parseTag } from '@portal/contract/deployments-rules';
import type { DraftFields } from './draft.ts';

export interface DraftFact {
  readonly name: string;
  readonly text: string;
}

/** Returns every field of the draft as text, in the order of the wizard. */
export function draftFacts(
  { appIds, ...fields }: DraftFields,
  names: { product: string; appName: (id: string) => string },
): DraftFact[] {
  const schedule = {
    ...fields,
    dataSource: fields.dataSource ?? '',
    team: fields.team ?? '',
    jiraProject: fields.jiraProject ?? '',
    appNames: appIds.map(names.appName),
    appSchemas: [],
    releaseTag: fields.releaseTag.trim(),
    releaseDescription: parseTag(fields.releaseTag) ?? '',
    releaseGroup: fields.releaseGroup.trim(),
    releaseName: fields.releaseName.trim(),
    deploymentDate: fields.deploymentDate ?? '',
    instructions: fields.instructions.trim() || instructionsWhenEmpty,
  };
  const facts = readFacts(schedule, wizardLabels(names.product), (wallClock) => wallClock);
  return facts.map(({ label, text }) => ({ name: label, text: text || '–' }));
}

/** Returns the facts that differ between two drafts. */
export function draftDifferences(mine: readonly DraftFact[], theirs: readonly DraftFact[]) {
  return mine.flatMap(({ name, text }, at) => {
    const their = theirs[at]?.text ?? '–';
    return text === their ? [] : [{ field: name, mine: text, theirs: their }];
  });
}
