import type { Schedule } from '@portal/contract/deployments';
import type { Locator, Page } from 'playwright-core';
import type { Picture, Stage } from './picture-stage.ts';
import { chooseOption, seen, select } from './user-actions.ts';

/** The deployment schedules, and the wizard. */
export const deploymentPictures: readonly Picture[] = [
  {
    name: 'deployments',
    phone: true,
    async show({ page, open }) {
      await open('/deployments');
      await seen(getTable(page).locator('tbody tr[tabindex]').first());
    },
  },
  {
    name: 'deployments-calendar',
    phone: true,
    async show(stage) {
      const { page, open } = stage;
      const day = (await getNext(stage, 'Farmer Input')).deploymentDate.slice(0, 10);
      await open(`/deployments?day=${day}`);
      const calendar = page.getByRole('region', { name: 'Calendar' });
      await seen(calendar.getByRole('button', { name: /^Farmer Input/ }));
      await calendar.scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'deployments-release',
    phone: true,
    async show(stage) {
      const { page, open } = stage;
      await open(`/deployments/${(await getNext(stage, 'Farmer Input')).id}`);
      await seen(page.getByRole('button', { name: /^Lock Farmer Input/ }));
      await seen(
        page
          .getByRole('region', { name: /^On call at/ })
          .getByRole('link')
          .first(),
      );
    },
  },
  {
    name: 'deployments-history',
    phone: true,
    async show(stage) {
      const { page, open, send } = stage;
      const schedule = await getNext(stage, 'Farmer Input');
      const { id, team, jiraProject, appIds, releaseName, releaseGroup, releaseTag, dataSource } = schedule;
      const scheduleFields = { team, jiraProject, appIds, releaseName, releaseGroup, releaseTag, dataSource };
      const oneHourLater = new Date(Date.parse(schedule.deploymentDate) + 3_600_000).toISOString();
      if (schedule.revision === 1) {
        const instructions = `${schedule.instructions} The depots are informed.`;
        await send(`deployment/merge/${id}`, { ...scheduleFields, deploymentDate: oneHourLater, instructions });
      }
      await open(`/deployments?schedule=${id}`);
      const history = page.getByRole('dialog').getByRole('region', { name: 'History' });
      await seen(history.getByRole('row').nth(1));
      await history.scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'deployments-resolve',
    async show({ page, open }) {
      await open('/deployments');
      await page
        .getByRole('button', { name: /^Resolve Farmer Input/ })
        .first()
        .click();
      await seen(page.getByRole('dialog', { name: 'Resolve this deployment?' }));
    },
  },
  {
    name: 'deployments-feed',
    async show({ page, open }) {
      await open('/deployments');
      await page.getByRole('button', { name: 'Calendar feed' }).click();
      await seen(
        page.getByRole('dialog', { name: 'Calendar feed' }).getByText(/^You have no feed|^Your feed was created/),
      );
    },
  },
  {
    name: 'deployments-wizard-apps',
    phone: true,
    async show({ page, open }) {
      await open('/deployments?wizard=new');
      await startNewDraft(page);
      await chooseApps(page);
    },
  },
  {
    name: 'deployments-wizard-release',
    phone: true,
    async show(stage) {
      await fillRelease(stage);
      await seen(stage.page.getByText(/^The tag says/).first());
    },
  },
  {
    name: 'deployments-wizard-fault',
    async show({ page, open }) {
      await open('/deployments?wizard=new');
      await startNewDraft(page);
      await page.getByRole('button', { name: 'Next', exact: true }).click();
      await seen(page.getByText('Please select a data source'));
    },
  },
  {
    name: 'deployments-wizard-confirmation',
    phone: true,
    async show(stage) {
      await fillRelease(stage);
      await stage.page.getByRole('button', { name: 'Next', exact: true }).click();
      await seen(stage.page.getByText(/^The following will be scheduled/));
    },
  },
];

function getTable(page: Page): Locator {
  return page.getByRole('region', { name: 'Scheduled Deployments' });
}

/** Finds the demo schedule with this release name. */
async function getNext({ page }: Stage, name: string): Promise<Schedule> {
  const schedules: Schedule[] = await (await page.request.get('/portal-backend/api/deployment/list')).json();
  const found = schedules.find((one) => one.releaseName.startsWith(name) && one.scheduleStatus === 'MERGE');
  if (!found) throw new Error(`the demonstration has scheduled nothing of ${name}`);
  return found;
}

/** The previous picture may have left a draft. */
async function startNewDraft(page: Page): Promise<void> {
  await seen(page.getByRole('dialog').getByRole('button', { name: 'Next', exact: true }));
  const begin = page.getByRole('button', { name: 'Start over' });
  if ((await begin.count()) > 0) await begin.click();
}

async function chooseApps(page: Page): Promise<void> {
  const wizard = page.getByRole('dialog');
  await chooseOption(page, select(wizard, 'Data Source'), 'helium-app-1');
  await chooseOption(page, select(wizard, 'Developer Team'), 'Health Team');
  await chooseOption(page, select(wizard, 'JIRA Project'), 'CHV');
  await wizard.getByRole('checkbox', { name: 'Community Health Visits' }).check();
}

/** Opens the wizard's second step with the tag of another day. */
async function fillRelease(stage: Stage): Promise<void> {
  const { page, open } = stage;
  await open('/deployments?wizard=new');
  await startNewDraft(page);
  await chooseApps(page);
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  const wizard = page.getByRole('dialog');
  const { releaseTag } = await getNext(stage, 'Farmer Input');
  await wizard.getByLabel('Release Tag').fill(releaseTag.replaceAll('vouchers', 'chv').replace(/\d{8}$/, '20261120'));
  await wizard.getByLabel('Helium Release Group').fill('chv');
  await wizard.getByLabel('Helium Release Name').fill('Community Health Visits - 20261130');
  await wizard.getByRole('button', { name: 'Choose the day in a calendar' }).click();
  const calendar = page.getByRole('group', { name: 'Days' });
  await calendar.getByRole('button', { name: 'Next month' }).click();
  await calendar.locator('td button:not([data-disabled]):not([data-outside])').first().click();
}
