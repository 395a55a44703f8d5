export const instructionsWhenEmpty = 'None';
export const defaultDeploymentTime = '18:00:00';

export const wizardSentences = {
  dataSource: 'Please select a data source',
  team: 'Please select a team',
  jiraProject: 'Please select a JIRA Project',
  apps: 'Please select atleast one Helium App.',
  withoutTag: 'This URL does not contain the tag... Please enter a valid Bitbucket URL containing the tag to release.',
  releaseName: 'Please enter a Release Name',
  releaseGroup: 'Please enter a Release Group',
  deploymentDate: 'Please select a Deployment Date.',
  weekend: 'Deployments are not scheduled on weekends.',
  past: 'The Deployment Date is in the past.',
} as const;

export function getForeignUrlSentence(prefix: string): string {
  return `This URL is invalid. It does not begin with ${prefix}. Please enter a valid Bitbucket URL containing the tag to release.`;
}

export interface SelectionDraft {
  readonly dataSource: string | null;
  readonly team: string | null;
  readonly jiraProject: string | null;
  readonly appIds: readonly string[];
}

/**
 * Returns the first error of the wizard's first step, in the specified order and wording, or null.
 */
export function findSelectionError({ dataSource, team, jiraProject, appIds }: SelectionDraft): string | null {
  if (!dataSource) return wizardSentences.dataSource;
  if (!team) return wizardSentences.team;
  if (!jiraProject) return wizardSentences.jiraProject;
  return appIds.length === 0 ? wizardSentences.apps : null;
}

export interface ReleaseDraft {
  readonly releaseTag: string;
  readonly releaseName: string;
  readonly releaseGroup: string;
  readonly deploymentDate: Date | null;
}

/**
 * Returns the first error of the wizard's second step at `now`, in the given time zone, or null.
 */
export function findReleaseError(
  { releaseTag, releaseName, releaseGroup, deploymentDate }: ReleaseDraft,
  { prefix, timeZone, now }: { readonly prefix: string; readonly timeZone: string; readonly now: Date },
): string | null {
  if (!toComparable(releaseTag.trim()).startsWith(toComparable(prefix))) return getForeignUrlSentence(prefix);
  if (parseTag(releaseTag) === null) return wizardSentences.withoutTag;
  if (releaseName.trim() === '') return wizardSentences.releaseName;
  if (releaseGroup.trim() === '') return wizardSentences.releaseGroup;
  if (deploymentDate === null || Number.isNaN(deploymentDate.getTime())) return wizardSentences.deploymentDate;
  if (isWeekend(deploymentDate, timeZone)) return wizardSentences.weekend;
  return deploymentDate < now ? wizardSentences.past : null;
}

/** Returns an address with its protocol and host in lower case, which is the case of no path. */
function toComparable(address: string): string {
  return address.replace(/^[a-z]+:\/\/[^/?#]*/i, (origin) => origin.toLowerCase());
}

const tagPathPrefix = '/commits/tag/';

/**
 * Returns the tag's name from its URL, which is the part of the path after `/commits/tag/`; null if
 * there is none.
 */
export function parseTag(releaseTag: string): string | null {
  const path = releaseTag.replace(/[?#].*$/s, '');
  const at = path.indexOf(tagPathPrefix);
  if (at < 0) return null;
  const name = path
    .slice(at + tagPathPrefix.length)
    .replace(/\/+$/, '')
    .trim();
  if (name === '') return null;
  try {
    const decoded = decodeURIComponent(name);
    // A name that cannot be displayed or stored stays percent-encoded.
    return /^\s*$|\p{Cc}/u.test(decoded) ? name : decoded;
  } catch {
    return name;
  }
}

export function isWeekend(instant: Date, timeZone: string): boolean {
  const day = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone }).format(instant);
  return day === 'Sat' || day === 'Sun';
}

export interface TagParts {
  readonly group: string;
  /** YYYYMMDD, which need not be a date. */
  readonly day: string;
}

/**
 * Returns the parts of a tag's name, DEPLOY_{releaseGroup}_{YYYYMMDD}; null if it has another form.
 */
export function splitTag(tag: string): TagParts | null {
  const [, group, day] = /DEPLOY_(.+)_(\d{8})$/.exec(tag) ?? [];
  return group === undefined || day === undefined ? null : { group, day };
}

/** Returns a tag's YYYYMMDD as 'YYYY-MM-DD'; null if it is no date. */
export function readTagDay(digits: string): string | null {
  const day = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day) ? day : null;
}

/** Returns warnings about a release that is allowed but looks wrong, as sentences. */
export function findReleaseWarnings(
  { releaseTag, releaseGroup, deploymentDate }: ReleaseDraft,
  timeZone: string,
): string[] {
  const tag = parseTag(releaseTag);
  if (tag === null) return [];
  const parts = splitTag(tag);
  if (!parts) return [`The tag ${tag} does not end in DEPLOY_{releaseGroup}_{YYYYMMDD}.`];
  const { group, day } = parts;
  const warnings: string[] = [];
  if (releaseGroup.trim() !== '' && group !== releaseGroup.trim())
    warnings.push(`The tag says ${group}, but the release group is ${releaseGroup.trim()}.`);
  if (deploymentDate !== null && !Number.isNaN(deploymentDate.getTime()) && day !== formatDay(deploymentDate, timeZone))
    warnings.push(`The tag says ${day}, but the deployment is on ${formatDay(deploymentDate, timeZone)}.`);
  return warnings;
}

/** Returns YYYYMMDD in the given time zone. */
function formatDay(instant: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return parts.format(instant).replaceAll('-', '');
}
