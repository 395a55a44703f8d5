import type { App } from '@portal/contract/apps';
import type { ScheduledFunctionResult } from '@portal/contract/scheduled-functions';
import type { Page } from 'playwright-core';
import { chooseOption, demo, fillSignIn, seen, select } from './person.ts';
import type { Picture, Stage } from './picture-stage.ts';

const health = 'Community Health';
const healthTeam = 'production_team_health';
const farmingTeam = 'production_team_farming';
const spied = '/dbspy?mode=datasource&source=helium-app-1';

/** Every screen that is built and every state that is designed, in the order of the menu. */
export const pictures: readonly Picture[] = [
  {
    name: 'sign-in',
    phone: true,
    async show({ page, signOut }) {
      await signOut();
      await seen(page.getByText('Use your Helium API credentials'));
    },
  },
  {
    name: 'sign-in-error',
    async show({ page, signOut }) {
      await signOut();
      await fillSignIn(page, { ...demo, password: 'guess' });
      await page.getByRole('button', { name: 'Sign In', exact: true }).click();
      await seen(page.getByText('Either the username or password is incorrect'));
    },
  },
  {
    name: 'home',
    phone: true,
    async show({ page, open }) {
      await open('/');
      for (const part of ['Needs attention', 'On call now', 'Changed lately'])
        await seen(page.getByRole('region', { name: part }).getByRole('listitem').first());
    },
  },
  {
    name: 'menu',
    phone: true,
    async show({ page, open }) {
      await open('/');
      await page.getByRole('button', { name: 'Menu' }).click();
      await seen(page.getByRole('dialog').getByText('Audit'));
    },
  },
  {
    name: 'palette',
    async show({ page, open }) {
      await open('/apps');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find apps and screens' }).fill('stock');
    },
  },
  {
    name: 'keys',
    async show({ page, open }) {
      await open('/apps');
      await page.keyboard.press('?');
      await seen(page.getByRole('dialog', { name: 'Keys' }));
    },
  },
  {
    name: 'sign-out',
    async show({ page, open }) {
      await open('/');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await seen(page.getByRole('dialog', { name: 'Going so soon?' }));
    },
  },
  {
    name: 'apps',
    phone: true,
    async show({ page, open }) {
      await open('/apps');
      await seen(page.getByText(/apps found from/));
    },
  },
  {
    name: 'apps-nothing-found',
    async show({ page, open }) {
      await open('/apps?q=warehouse');
      await seen(page.getByText(/Nothing matches/));
    },
  },
  {
    name: 'config',
    phone: true,
    async show({ page, open, app }) {
      await open(`/config/${app(health).id}`);
      await seen(page.getByRole('row').nth(2));
    },
  },
  {
    name: 'config-new-entry-point',
    phone: true,
    async show({ page, open, app }) {
      await open(`/config/${app(health).id}`);
      await page.getByRole('button', { name: 'New entry-point' }).click();
      const modal = page.getByRole('dialog', { name: 'New entry-point' });
      await select(modal, 'Entry point').fill('closeOldVisits');
      await modal.getByRole('button', { name: 'Save' }).click();
      await seen(modal.getByText('Please enter Entry Point Scope Name'));
    },
  },
  {
    name: 'config-remove',
    async show({ page, open, app }) {
      await open(`/config/${app(health).id}`);
      await page
        .getByRole('button', { name: /^Remove / })
        .first()
        .click();
      await seen(page.getByText('This action cannot be undone.'));
    },
  },
  {
    name: 'config-lock',
    async show({ page, open, app }) {
      await open(`/config/${app(health).id}`);
      await chooseOption(page, select(page, 'Locked or unlocked'), 'Locked');
      await seen(page.getByRole('dialog', { name: 'Lock this app?' }));
    },
  },
  {
    name: 'config-change-failed',
    async show({ page, open, app, troublePlatform }) {
      await open(`/config/${app(health).id}`);
      await seen(select(page, 'Locked or unlocked'));
      await troublePlatform('app-config', 'error500');
      await chooseOption(page, select(page, 'Locked or unlocked'), 'Locked');
      await page.getByRole('dialog').getByRole('button', { name: 'Lock app' }).click();
      await seen(page.getByRole('alert').first());
      await page.keyboard.press('Escape');
    },
  },
  {
    name: 'config-loading',
    async show({ page, open, app, troublePlatform }) {
      await open('/');
      await troublePlatform('app-config', 'hang');
      await page.goto(`/#/config/${app(health).id}`);
      await seen(page.getByRole('tab', { name: 'Timeouts' }));
    },
  },
  {
    name: 'config-not-loaded',
    async show({ page, open, app, troublePlatform }) {
      await open('/');
      await troublePlatform('app-config', 'error500');
      await page.goto(`/#/config/${app('Vaccine').id}`);
      await seen(page.getByRole('button', { name: 'Try again' }));
    },
  },
  {
    name: 'config-empty',
    async show({ page, open, app }) {
      await open(`/config/${app('Livestock').id}`);
      await seen(page.getByText('No entry point timeouts are set for this app.'));
    },
  },
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
      await seen(page.getByRole('textbox', { name: 'SQL that takes it back' }));
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
  {
    name: 'app-view',
    phone: true,
    async show({ page, open, app }) {
      await open(`/app/${app(health).id}`);
      await seen(page.locator('.recharts-pie-sector').first());
    },
  },
  {
    name: 'app-view-functions',
    async show({ page, open, app }) {
      await open(`/app/${app(health).id}`);
      await page.getByRole('tab', { name: 'Scheduled Function Stats' }).click();
      await seen(page.locator('tbody tr[tabindex], tbody tr td').first());
    },
  },
  {
    name: 'db-spy',
    phone: true,
    async show({ page, open }) {
      await open(`${spied}&metric=total_time`);
      await seen(page.locator('.recharts-pie-sector').first());
    },
  },
  {
    name: 'db-spy-bars',
    async show({ page, open }) {
      await open(`${spied}&metric=calls&top=10&view=bars`);
      await seen(page.getByRole('heading', { name: 'SQL of the charted queries' }));
    },
  },
  {
    name: 'db-spy-table',
    phone: true,
    async show({ page, open }) {
      await open(`${spied}&tab=table`);
      await seen(statementRows(page).first());
    },
  },
  {
    name: 'db-spy-query',
    async show({ page, open }) {
      await open(`${spied}&tab=table&sql=update+visit+set+where`);
      await statementRows(page).first().getByRole('cell').first().click();
      await page.getByRole('button', { name: 'Show the plan' }).click();
      await seen(
        page
          .getByRole('dialog', { name: 'Query Pattern Detail' })
          .getByText(/cost=|cannot/)
          .first(),
      );
    },
  },
  {
    name: 'db-spy-reset',
    async show({ page, open }) {
      await open(spied);
      await page.getByRole('button', { name: 'Reset Stats' }).click();
      await seen(page.getByRole('table', { name: 'Last resets' }).getByRole('cell').first());
    },
  },
  {
    name: 'db-spy-away',
    async show({ page, open }) {
      const message = 'The data source helium-app-1 did not answer in time.';
      await page.route('**/db-spy/stats', (route) =>
        route.fulfill({
          status: 504,
          json: { title: 'Error getting stats!', message, requestId: 'r-4', kind: 'unreachable' },
        }),
      );
      await open(spied);
      await seen(page.getByText(message).first());
      await page.unroute('**/db-spy/stats');
    },
  },
  {
    name: 'functions',
    phone: true,
    async show({ page, open, app }) {
      await open(`/scheduledfunctions/${app(health).id}`);
      await seen(page.getByText('OK').first());
    },
  },
  {
    name: 'functions-failure',
    async show({ page, open, apps, send }) {
      await open(`/scheduledfunctions/${(await findFailure(apps, send)).id}`);
      await page
        .getByRole('button', { name: /^Failed/ })
        .first()
        .click();
      await seen(page.getByRole('dialog'));
    },
  },
  {
    name: 'functions-partial',
    async show({ page, open, app }) {
      await page.route('**/debug/scheduled-function', (route) => route.fulfill({ status: 502, body: '' }));
      await open(`/scheduledfunctions/${app(health).id}`);
      await seen(page.getByText(/Error getting scheduled-function stats!/));
      await page.unroute('**/debug/scheduled-function');
    },
  },
  {
    name: 'logs',
    phone: true,
    async show({ page, open, app, log }) {
      await open(`/logs/${app(health).id}`);
      await seen(page.getByText('Following', { exact: true }));
      await log(app(health), chatter);
      await seen(page.getByText('SocketTimeoutException').first());
    },
  },
  {
    name: 'logs-searched',
    async show({ page, open, app, log }) {
      await open(`/logs/${app(health).id}?find=gateway&mode=filter`);
      await log(app(health), chatter);
      await seen(page.getByText(/\d+ match/));
    },
  },
  {
    name: 'logs-paused',
    async show({ page, open, app, log }) {
      await open(`/logs/${app(health).id}`);
      await seen(page.getByText('Following', { exact: true }));
      await log(app(health), chatter);
      await seen(page.getByText('SocketTimeoutException').first());
      await page.keyboard.press(' ');
      await log(app(health), chatter);
      await seen(page.getByText(/^Paused \([1-9]/));
    },
  },
  {
    name: 'logs-interrupted',
    async show({ page, open, app, log, line }) {
      await open(`/logs/${app(health).id}`);
      await seen(page.getByText('Following', { exact: true }));
      await log(app(health), chatter);
      await seen(page.getByText('SocketTimeoutException').first());
      line.down();
      await seen(page.getByText(/The stream is interrupted/));
    },
  },
  {
    name: 'audit',
    phone: true,
    async show({ page, open }) {
      await open('/audit');
      await seen(page.getByRole('row').nth(3));
    },
  },
  {
    name: 'audit-entry',
    async show({ page, open }) {
      await open('/audit?action=config.update-entry-point');
      await page.getByRole('row').nth(1).click();
      await seen(page.getByRole('dialog'));
    },
  },
  {
    name: 'connection-lost',
    async show({ page, open, app, line }) {
      await open(`/scheduledfunctions/${app(health).id}`);
      await seen(page.getByText('OK').first());
      line.down();
      await page.getByRole('button', { name: 'Refresh' }).click();
      await seen(page.getByText(/^Connection to the portal lost/));
    },
  },
  {
    name: 'not-built-yet',
    async show({ page, open }) {
      await open('/dbspy');
      await seen(page.getByText(/not built yet/));
    },
  },
  {
    name: 'roster',
    phone: true,
    async show({ page, open }) {
      await open('/support-roster/Health');
      await seen(page.getByRole('region', { name: 'Team members' }).getByText('On call now'));
    },
  },
  {
    name: 'roster-none-chosen',
    async show({ page, open }) {
      await open('/support-roster');
      await seen(page.getByRole('region', { name: 'On call now' }).getByRole('listitem').first());
    },
  },
  {
    name: 'roster-shifts',
    async show({ page, open }) {
      await open('/support-roster/Platform');
      const shifts = page.getByRole('region', { name: 'Shifts', exact: true });
      await seen(shifts.locator('tbody tr').first());
      await shifts.scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'roster-import',
    async show({ page, open }) {
      await open('/support-roster/Platform');
      await page.getByRole('button', { name: 'Import CSV' }).click();
      const lines = ['Thabo Mokoena,+27 82 555 0142,2026-12-07 08:00,2026-12-14 08:00', ',,2026-12-14 08:00,soon'];
      await page.getByLabel('CSV', { exact: true }).fill(['name,number,start,end', ...lines].join('\n'));
      await seen(page.getByText('Line 3: Please enter a name.'));
    },
  },
  {
    name: 'dev-client',
    phone: true,
    async show({ page, open }) {
      await open('/helium-dev-latest');
      await seen(page.getByText('Install command'));
    },
  },
  {
    name: 'app-not-found',
    async show({ page, open }) {
      await open('/config/7d5c2f0e-0000-4000-8000-000000000000');
      await seen(page.getByText('App not found'));
    },
  },
];

const chatter = [
  { key: 'INFO', value: 'Visit 48213 opened by community health worker 0112' },
  { key: 'INFO', value: 'Synchronised 42 visits of Chipata Clinic in 0.8 s' },
  { key: 'WARNING', value: 'Visit 48190 has no consent form; reminder queued' },
  { key: 'INFO', value: 'Stock count received from Mongu Depot: 218 items' },
  {
    key: 'SEVERE',
    value: `com.mezzanineware.dsl.runtime.http.OutboundApiException: Outbound API call failed
\tat com.mezzanineware.dsl.runtime.http.OutboundApi.post(OutboundApi.java:141)
\tat Reminders.sendReminders(Reminders.mez:58)
Caused by: java.net.SocketTimeoutException: Read timed out
\t... 12 more`,
  },
  { key: 'INFO', value: 'Reminder gateway answers again; 17 messages sent' },
  { key: 'Runtime Error', value: '[Visits:204] division by zero in visit average' },
  { key: 'INFO', value: 'Visit 48214 opened by community health worker 0107' },
];

/** An app with a function that failed when it last ran; with so many of them there is always one. */
async function findFailure(apps: Stage['apps'], send: Stage['send']): Promise<App> {
  for (const app of apps) {
    const answer = await send('debug/scheduled-function', { uuid: app.id });
    // Newest first, so that the first of each name is its last run.
    const last = new Map<string, ScheduledFunctionResult>();
    for (const result of answer as ScheduledFunctionResult[]) {
      if (!last.has(result.qualifiedName)) last.set(result.qualifiedName, result);
    }
    if ([...last.values()].some(({ exception }) => exception !== null)) return app;
  }
  throw new Error('every function of every app went well');
}

/** The tab of an app's schema access, after the team has been given the schema. */
async function openGrantedTo(teamUser: string, { open, app, send }: Stage): Promise<void> {
  const { id: appId } = app(health);
  await send('schema-access/migrate-app', { appId, teamUser, reason: 'Vouchers need the visits' });
  await open(`/config/${appId}?tab=schema-access`);
}

function statementRows(page: Page) {
  return page.getByRole('region', { name: 'Query statistics' }).locator('tbody tr[tabindex]');
}

/** Opens the plan. */
async function askToGrant(teamUser: string, page: Page): Promise<void> {
  await chooseOption(page, select(page, 'Team'), teamUser);
  await page.getByRole('button', { name: 'Grant Access' }).click();
  await seen(page.getByRole('textbox', { name: 'Statements' }));
}
