import type { Page } from 'playwright-core';
import type { Picture, Stage } from './picture-stage.ts';
import { chooseOption, seen, select } from './user-actions.ts';

const health = 'Community Health';
const healthTeam = 'production_team_health';
const farmingTeam = 'production_team_farming';

/** Access to the schemas of apps, and how to grant it. */
export const schemaAccessPictures: readonly Picture[] = [
  {
    name: 'config-schema-access',
    async show(stage) {
      await openGrantedTo(farmingTeam, stage);
      await seen(stage.page.getByText(`${farmingTeam} has access`));
    },
  },
  {
    name: 'schema-access-plan',
    phone: true,
    async show(stage) {
      await openGrantedTo(farmingTeam, stage);
      await askToGrant(healthTeam, stage.page);
    },
  },
  {
    name: 'schema-access-granted',
    async show(stage) {
      const { page } = stage;
      await openGrantedTo(farmingTeam, stage);
      await askToGrant(healthTeam, page);
      await page.getByLabel('Reason').fill('Visits are counted twice');
      await page.getByRole('dialog').getByRole('button', { name: 'Grant Access' }).click();
      await seen(page.getByRole('textbox', { name: 'SQL to revert' }));
    },
  },
  {
    name: 'schema-access',
    phone: true,
    async show({ page, open }) {
      await open('/schema-access');
      await seen(page.getByText('Granted').first());
      await seen(page.getByText('Ping successful').first());
    },
  },
  {
    name: 'schema-access-sql',
    async show({ page, open, app }) {
      const choices = { mode: 'generate', team: healthTeam, schema: app('Livestock').schemaName };
      await open(`/schema-access?${new URLSearchParams(choices)}`);
      await page.getByRole('button', { name: 'Generate SQL', exact: true }).click();
      await seen(page.getByRole('textbox', { name: 'Generated SQL' }));
    },
  },
];

/** Opens an app's schema access tab after a grant to the team. */
async function openGrantedTo(teamUser: string, { open, app, send }: Stage): Promise<void> {
  const { id: appId } = app(health);
  await send('schema-access/migrate-app', { appId, teamUser, reason: 'Vouchers need the visits' });
  await open(`/config/${appId}?tab=schema-access`);
}

/** Opens the plan. */
async function askToGrant(teamUser: string, page: Page): Promise<void> {
  await chooseOption(page, select(page, 'Team'), teamUser);
  await page.getByRole('button', { name: 'Grant Access' }).click();
  await seen(page.getByRole('textbox', { name: 'Statements' }));
}
