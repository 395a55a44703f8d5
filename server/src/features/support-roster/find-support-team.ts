import type { SupportRosterConfig } from './support-roster.config.ts';

/** Words that do not distinguish team names. */
const generic = new Set(['team', 'teams', 'support', 'the', 'dev', 'developers', 'development', 'group', 'squad']);

/**
 * Finds the support team of a deployment team: the one that is configured for it, or the one with
 * its name. If there is none, `similar` lists those whose names differ by one word.
 */
export function findSupportTeam(
  { teams }: Pick<SupportRosterConfig, 'teams'>,
  environment: string,
  deploymentTeam: string,
): { readonly team: string | null; readonly similar: readonly string[] } {
  const ofEnvironment = teams.filter(({ environments }) => environments?.includes(environment) ?? true);
  const found =
    ofEnvironment.find(({ deploymentTeams }) => deploymentTeams?.includes(deploymentTeam)) ??
    ofEnvironment.find(({ name }) => name === deploymentTeam);
  if (found) return { team: found.name, similar: [] };
  const words = readWords(deploymentTeam);
  const similar = ofEnvironment.filter(({ name }) => differByOneWord(words, readWords(name)));
  return { team: null, similar: similar.map(({ name }) => name) };
}

/** "Farming Team" has the word "farming". */
function readWords(name: string): ReadonlySet<string> {
  const words = name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !generic.has(word)));
}

/** Whether the names share words, and at most one of the words is in only one of them. */
function differByOneWord(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared > 0 && one.size + other.size - 2 * shared <= 1;
}
