import { actionSchema } from '@portal/contract/actions';
import { setMaxDbResults } from '@portal/contract/app-config';
import { getApps } from '@portal/contract/apps';
import { getAudit } from '@portal/contract/audit';
import { toggleScheduledEvent } from '@portal/contract/scheduled-functions';
import { getSession } from '@portal/contract/session';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RoleGrant } from '../config.ts';
import { startSmallWorld } from '../testing/small-world.ts';
import { parseProblem } from '../testing/test-client.ts';
import { decide } from './policy.ts';

const grants: RoleGrant[] = [
  { role: 'viewer', users: 'everyone' },
  { role: 'operator', users: ['olga'] },
  { role: 'maintainer', users: ['mona'], environments: ['Staging'] },
  { role: 'admin', users: ['ada'] },
];

function may(username: string, environment = 'Production', configured: RoleGrant[] = grants): string[] {
  const question = { username, environment };
  return actionSchema.options.filter((action) => decide(configured, { ...question, action }).allowed);
}

describe('access policy', () => {
  it('gives each role the permissions of lower roles, and more', () => {
    const roles = ['anybody', 'olga', 'ada'].map((user) => may(user));
    expect(roles[0]).toContain('config.view');
    expect(roles[0]).not.toContain('functions.toggle');
    expect(roles[1]).toEqual(expect.arrayContaining(roles[0] ?? []));
    expect(roles[1]).toContain('functions.toggle');
    expect(roles[1]).not.toContain('config.change');
    expect(roles[2]).toEqual([...actionSchema.options]);
  });

  it('limits grants to their environments', () => {
    expect(may('mona', 'Staging')).toContain('config.change');
    expect(may('mona', 'Production')).toEqual(may('anybody'));
  });

  it('allows nothing to users without a grant', () => {
    expect(may('stranger', 'Production', [{ role: 'admin', users: ['ada'] }])).toEqual([]);
    expect(may('ada', 'Production', [])).toEqual([]);
  });
});

describe('access policy of the server', () => {
  it('refuses an action without the role, returns the reason, and audits the refusal', async () => {
    const world = await startSmallWorld({
      roles: [
        { role: 'operator', users: 'everyone' },
        { role: 'admin', users: ['demo'] },
      ],
    });
    onTestFinished(() => world.stop());
    const appId = world.helium.app('Clinic Visits').id;
    const operator = await world.server.signIn('health.dev', 'health');
    const admin = await world.server.signIn('demo', 'demo');

    const response = await operator.attempt(setMaxDbResults, { appId, maxDatabaseResults: 500 });
    expect(response.status).toBe(403);
    const reason = 'You need the role maintainer or admin to change apps in Production; you have the role operator.';
    expect(parseProblem(response).message).toBe(reason);
    expect((await operator.call(getSession, undefined)).refusals).toMatchObject({ 'config.change': reason });
    expect((await operator.attempt(getAudit, {})).status).toBe(403);
    const known = { appId, scheduledEvent: 'Reminders:sendReminders', state: 'Enabled' } as const;
    expect((await operator.attempt(toggleScheduledEvent, known)).status).toBe(200);
    expect(await operator.call(getApps, {})).toHaveLength(1);

    await admin.call(setMaxDbResults, { appId, maxDatabaseResults: 500 });
    const { entries } = await admin.call(getAudit, { username: 'health.dev', action: 'config.change' });
    expect(entries).toMatchObject([{ outcome: 'refused', resource: appId, reason }]);
  });
});
