import type { Action } from '@portal/contract/actions';
import type { App } from '@portal/contract/apps';
import type { TeamApps } from '../config.ts';
import type { Caller } from '../session/caller.ts';
import { actionLabels } from './action-labels.ts';
import type { ChangeRights } from './change-rights.ts';

/**
 * What the caller must be able to change on the platform: each app concerned, or one app of the
 * team. Other actions need nothing.
 */
const needs: ReadonlyMap<Action, 'each app' | 'team app'> = new Map<Action, 'each app' | 'team app'>([
  ['config.change', 'each app'],
  ['functions.toggle', 'each app'],
  ['statistics.reset', 'each app'],
  ['schema-access.grant', 'each app'],
  ['sync.change', 'each app'],
  ['sync.reveal', 'each app'],
  ['deployments.change', 'team app'],
  ['roster.change', 'team app'],
  ['roster.reveal', 'team app'],
]);

/** The platform does these itself, with the caller's own credentials. */
export const judgedByPlatform: ReadonlySet<Action> = new Set(['config.change', 'functions.toggle']);

export interface DerivedSubject {
  readonly apps?: readonly App[] | undefined;
  readonly team?: string | undefined;
}

/** Returns the changes that can be made to the subject itself. A reset concerns a server. */
export function listChanges({ apps, team }: DerivedSubject): Action[] {
  const concerns = { 'each app': apps !== undefined, 'team app': team !== undefined };
  return [...needs]
    .filter(([action, need]) => concerns[need] && action !== 'statistics.reset')
    .map(([action]) => action);
}

/**
 * Decides without configured roles: what the platform refuses a user, the portal refuses too.
 * Returns the reason for a refusal; null if the action is allowed. Throws Unreachable if the
 * platform does not answer.
 */
export async function findDerivedRefusal(
  { rights, teams }: { readonly rights: ChangeRights; readonly teams: readonly TeamApps[] },
  caller: Caller,
  action: Action,
  { apps, team }: DerivedSubject,
): Promise<string | null> {
  const need = needs.get(action);
  if (need === 'each app') return findRefusedApp(rights, caller, action, apps);
  if (need === 'team app') return findRefusedTeam(rights, caller, action, await listTeamApps());
  return null;

  async function listTeamApps(): Promise<{ readonly apps: readonly App[] | undefined; readonly team: string }> {
    const schemaNames = teams.find(({ name }) => name === team)?.apps;
    if (schemaNames === undefined) return { apps, team: team ?? 'unknown' };
    const visible = await caller.apps();
    return { apps: visible.apps.filter((app) => schemaNames.includes(app.schemaName)), team: team ?? 'unknown' };
  }
}

async function findRefusedApp(
  rights: ChangeRights,
  caller: Caller,
  action: Action,
  apps: readonly App[] = [],
): Promise<string | null> {
  // An omission in the portal must not grant anything.
  if (apps.length === 0) return `You cannot ${actionLabels[action]}, because none of your apps is concerned.`;
  for (const app of apps) {
    const right = await rights.find(caller, app);
    if (right === 'refused')
      return `You cannot ${actionLabels[action]}, because Helium does not let you change the app ${app.name}.`;
    if (right !== 'allowed' && !judgedByPlatform.has(action)) return explainUnknown(caller, action, app, right);
  }
  return null;
}

async function findRefusedTeam(
  rights: ChangeRights,
  caller: Caller,
  action: Action,
  { apps, team }: { readonly apps: readonly App[] | undefined; readonly team: string },
): Promise<string | null> {
  const start = `You cannot ${actionLabels[action]} of the team ${team}, because`;
  if (apps === undefined)
    return `${start} the portal does not know its apps. An administrator can list them in the setting \`teams\`, or configure roles.`;
  let unknown: string | undefined;
  for (const app of apps) {
    const right = await rights.find(caller, app);
    if (right === 'allowed') return null;
    if (right !== 'refused') unknown ??= explainUnknown(caller, action, app, right);
  }
  return unknown ?? `${start} Helium does not let you change any of its apps.`;
}

function explainUnknown(
  { environment }: Caller,
  action: Action,
  { name }: App,
  right: 'unknown' | 'unconfirmed',
): string {
  const start = `You cannot ${actionLabels[action]}, because the portal cannot determine whether Helium lets you change the app ${name}.`;
  if (right === 'unknown')
    return `${start} An administrator can set \`rights\` of ${environment.name} to \`all\`, or configure roles.`;
  return (
    `${start} If Helium keeps the settings that a change does not send, an administrator can set ` +
    `\`helium.appConfig.write.style\` of ${environment.name} to \`merge\`. ` +
    'Otherwise they can set `rights` to `all`, or configure roles.'
  );
}
