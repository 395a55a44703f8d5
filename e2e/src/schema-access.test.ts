import { createPool } from '@portal/kit/postgres/pool';
import { getTestPostgresUrl } from '@portal/kit/postgres/test-database';
import type { SimulatedAppHandle } from '@portal/simulators/helium/simulator';
import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { test } from './test.ts';
import { arrive, chooseOption, gone, isFocused, seen, select, showsBriefly } from './user-actions.ts';

describe('schema access', () => {
  test('generates the SQL without running it, and copies it', async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    const before = await readOwners(app);
    const [team] = readTeams(portal);
    await arrive(page, '/schema-access');
    await seen(page.getByText(/developers’ database users have no permission to view or update an app’s data/));
    await page.getByRole('radiogroup', { name: 'Mode' }).getByText('Generate SQL').click();
    await chooseOption(page, select(page, 'Team'), team);
    await page.getByLabel('Schema Name').fill(app.schemaName);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    const generate = page.getByRole('button', { name: 'Generate SQL', exact: true });
    await expect.poll(() => isFocused(generate)).toBe(true);
    await page.keyboard.press('Enter');
    const results = page.getByRole('region', { name: 'Results' });
    await seen(results.locator('.cm-line').filter({ hasText: `ALTER SCHEMA "${app.schemaName}" OWNER TO "${team}";` }));
    await expect.poll(() => isFocused(generate)).toBe(true);
    await showsBriefly(results.getByRole('button', { name: 'Copied' }), () =>
      results.getByRole('button', { name: 'Copy Generated SQL' }).click(),
    );
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^BEGIN;\n.*COMMIT;$/s);
    expect(await readOwners(app)).toEqual(before);

    await page.reload();
    await expect.poll(() => page.getByLabel('Schema Name').inputValue()).toBe(app.schemaName);
    await expect.poll(() => select(page, 'Team').inputValue()).toBe(team);
    await page.getByRole('button', { name: 'Clear selection' }).click();
    await expect.poll(() => page.getByLabel('Schema Name').inputValue()).toBe('');
    await expect.poll(() => generate.getAttribute('aria-description')).toBe('Select a team first.');
  });

  test('generates a script that works on any schema of a name that no app has', async ({ page, portal }) => {
    const [team] = readTeams(portal);
    const schemaName = `x"; drop schema public; --`;
    await arrive(page, '/schema-access?mode=generate');
    await chooseOption(page, select(page, 'Team'), team);
    await page.getByLabel('Schema Name').fill(schemaName);
    await page.keyboard.press('Enter');
    const results = page.getByRole('region', { name: 'Results' });
    await seen(results.getByText(`so this script works on any schema of that name`));
    await seen(results.locator('.cm-line').filter({ hasText: `schema_name CONSTANT text := '${schemaName}';` }));
  });

  test('grants access after its plan, stores the reason, and reverts the grant completely', async ({
    page,
    portal,
  }) => {
    const app = portal.app('Clinic Visits');
    const before = await readOwners(app);
    const [team] = readTeams(portal);
    await arrive(page, '/schema-access');
    await chooseOption(page, select(page, 'Team'), team);
    await chooseOption(page, select(page, 'Data Source'), app.dataSource.heliumDataSourceName);
    await select(page, 'Schema Name').fill('clinic visits');
    await page.getByRole('option', { name: `${app.schemaName} Clinic Visits` }).click();
    await page.getByRole('button', { name: 'Grant Access' }).click();

    const plan = page.getByRole('dialog', { name: `Grant ${team} access to ${app.schemaName}?` });
    await seen(
      plan
        .locator('.cm-line')
        .filter({ hasText: `OWNER TO "${team}";` })
        .first(),
    );
    await seen(plan.getByText(/\d+ tables/).first());
    await seen(plan.getByText('Production', { exact: true }));
    await page.keyboard.press('Escape');
    await gone(plan);
    expect(await readOwners(app)).toEqual(before);

    await page.getByRole('button', { name: 'Grant Access' }).click();
    await plan.getByLabel('Reason').fill('Fixing duplicate visits');
    await plan.getByRole('button', { name: 'Grant Access' }).click();
    await gone(plan);
    const results = page.getByRole('region', { name: 'Results' });
    await seen(results.getByText(`${team} is now the owner of all objects in ${app.schemaName}.`));
    await seen(results.getByRole('textbox', { name: 'SQL to revert' }));
    expect(new Set(Object.values(await readOwners(app)))).toEqual(new Set([team]));
    expect(await app.run('Nightly:closeOldVisits')).toMatchObject({ success: true });

    const row = accessRows(page).filter({ hasText: 'Fixing duplicate visits' });
    await seen(row.getByText('Granted'));
    await row.getByRole('cell').first().click();
    const receipt = page.getByRole('dialog', { name: 'Grant receipt' });
    await receipt.getByRole('button', { name: 'Revert', exact: true }).click();
    const back = page.getByRole('dialog', { name: `Revert the access of ${team} to ${app.schemaName}?` });
    await seen(back.locator('.cm-line').filter({ hasText: 'OWNER TO' }).first());
    await back.getByRole('button', { name: 'Revert' }).click();
    await gone(back);
    await seen(row.getByText('Reverted'));
    expect(await readOwners(app)).toEqual(before);
    expect(await app.run('Nightly:closeOldVisits')).toMatchObject({ success: true });

    await page.getByRole('checkbox', { name: 'Current access only' }).check();
    await seen(page.getByText('No team currently has access.'));
  });

  test('asks again if the schema has changed since the plan was shown', async ({ page, portal, visit }) => {
    visit.trouble.expect(/409/);
    const app = portal.app('Farm Inputs');
    const [team] = readTeams(portal);
    const plan = await openPlan(page, app, team);
    await ask(app, `create table ${app.schemaName}.latecomer (n int)`);
    await ask(app, `alter table ${app.schemaName}.latecomer owner to ${new URL(app.url).username}`);
    await plan.getByRole('button', { name: 'Grant Access' }).click();
    await seen(plan.getByText(/Review it again before you continue/));
    // Only the visible part of a long text is rendered.
    await plan.locator('.cm-line').last().scrollIntoViewIfNeeded();
    await seen(plan.locator('.cm-line').filter({ hasText: 'latecomer' }));
    expect((await readOwners(app)).latecomer).not.toBe(team);
    await plan.getByRole('button', { name: 'Grant Access' }).click();
    await gone(plan);
    expect((await readOwners(app)).latecomer).toBe(team);

    await page.getByRole('button', { name: 'Grant Access' }).click();
    await seen(plan.getByText(/Nothing to change/));
    expect(await plan.getByRole('button', { name: 'Grant Access' }).count()).toBe(0);
  });

  test('shows the statements of a failed grant, which changes nothing', async ({ page, portal, visit }) => {
    visit.trouble.expect(/409/);
    const app = portal.app('Stock Room');
    const before = await readOwners(app);
    const [team] = readTeams(portal);
    const plan = await openPlan(page, app, team);
    const allow = await refuseToAlterTables(app);
    try {
      await plan.getByRole('button', { name: 'Grant Access' }).click();
      await gone(plan);
      const popups = page.getByRole('alert').filter({ hasText: 'Failed to grant access!' });
      await seen(popups.filter({ hasText: 'not today' }).first());
      const results = page.getByRole('region', { name: 'Results' });
      await seen(results.locator('.cm-line').filter({ hasText: `ALTER SCHEMA "${app.schemaName}" OWNER TO` }));
    } finally {
      await allow();
    }
    expect(await readOwners(app)).toEqual(before);
  });
});

describe('data sources', () => {
  test('pings data sources in parallel', async ({ page, portal }) => {
    await arrive(page, '/schema-access');
    const rows = page.getByRole('region', { name: 'Data sources' }).locator('tbody tr');
    await expect.poll(() => rows.getByText('Ping successful').count()).toBe(portal.helium.dataSources.length);
    await expect
      .poll(() => rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-tone'))))
      .toEqual([null, null]);
  });

  test('warns about unreachable data sources', async ({ page }) => {
    await arrive(page, '/schema-access', { environment: 'Zambia-production' });
    const rows = page.getByRole('region', { name: 'Data sources' }).locator('tbody tr[data-tone="warning"]');
    await expect.poll(() => rows.getByText('No response').count()).toBe(2);
  });

  test('shows the specified texts if pings or teams cannot be loaded', async ({ page, visit }) => {
    visit.trouble.expect(/50[24]/);
    const away = { kind: 'unreachable', requestId: 'r-7', message: 'The portal is being restarted.' };
    for (const call of ['ping-database', 'team-names'])
      await page.route(`**/schema-access/${call}`, (route) => route.fulfill({ status: 502, json: away }));
    await arrive(page, '/schema-access');
    const rows = page.getByRole('region', { name: 'Data sources' }).locator('tbody tr[data-tone="warning"]');
    await expect.poll(() => rows.getByText('Problem retrieving Ping to Database.').count()).toBe(2);
    for (const title of ['Unable to ping database', 'Unable to find team names'])
      await seen(page.getByRole('alert').filter({ hasText: title }).filter({ hasText: 'r-7' }).first());
  });

  test('announces each failure once, where its title is shown too, and keeps Try again in sight', async ({
    page,
    visit,
  }) => {
    visit.trouble.expect(/502/);
    for (const call of ['team-names', 'history*'])
      await page.route(`**/schema-access/${call}`, (route) => route.fulfill({ status: 502, json: { reason: 'away' } }));
    await page.setViewportSize({ width: 1440, height: 420 });
    await arrive(page, '/schema-access');
    const popups = page.getByRole('alert', { name: 'Problems' });
    for (const title of ['Unable to find team names', 'Unable to get the access history']) {
      await seen(popups.getByText(title));
      await seen(page.locator('#main').getByText(title));
    }
    await expect.poll(() => page.getByRole('alert').count()).toBe(1);
    for (const retry of await page.locator('#main').getByRole('button', { name: 'Try again' }).all()) {
      await retry.focus();
      const readOverlap = async () => {
        const [button, covered] = await Promise.all([retry.boundingBox(), popups.boundingBox()]);
        return (button?.y ?? 0) + (button?.height ?? 0) - (covered?.y ?? 0);
      };
      await expect.poll(readOverlap).toBeLessThanOrEqual(0);
    }
  });

  test('reports missing teams with the setting that configures them', async ({ page }) => {
    await arrive(page, '/schema-access', { environment: 'Localhost' });
    await seen(page.getByRole('alert').filter({ hasText: 'No database servers' }).first());
    await seen(page.getByText(/There were no database servers found on http/).first());
    await seen(page.getByText('environments[].dataSources'));
    await seen(page.getByText('environments[].teamUsers'));
  });
});

test("grants access on the app's own tab and shows who has it", async ({ page, portal }) => {
  const app = portal.app('Stock Room');
  const [, team] = readTeams(portal);
  await arrive(page, `/config/${app.id}?tab=schema-access`);
  await expect.poll(() => page.getByLabel('App', { exact: true }).inputValue()).toBe(`Stock Room (${app.schemaName})`);
  await seen(page.getByText(/No team has been granted access in the portal/));
  await chooseOption(page, select(page, 'Team'), team);
  await page.getByRole('button', { name: 'Grant Access' }).click();
  const plan = page.getByRole('dialog', { name: `Grant ${team} access to ${app.schemaName}?` });
  await plan.getByRole('button', { name: 'Grant Access' }).click();
  await gone(plan);
  await seen(page.getByText(`${team} has access, granted`));
  await expect.poll(() => accessRows(page).count()).toBe(1);
});

test('lets keyboard users enter and leave the SQL editor', async ({ page, portal }) => {
  const [team] = readTeams(portal);
  const { schemaName } = portal.app('Clinic Visits');
  await arrive(page, `/schema-access?${new URLSearchParams({ mode: 'generate', team, schema: schemaName })}`);
  await page.getByRole('button', { name: 'Generate SQL', exact: true }).click();
  const sql = page.getByRole('textbox', { name: 'Generated SQL' });
  await seen(sql);
  await page.getByRole('button', { name: 'Copy Generated SQL' }).focus();
  await page.keyboard.press('Tab');
  await expect.poll(() => sql.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+c');
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^BEGIN;\n.*COMMIT;$/s);
  await page.keyboard.press('Tab');
  await expect.poll(() => sql.evaluate((element) => element.contains(document.activeElement))).toBe(false);
});

function readTeams(portal: { helium: { teams: readonly { name: string }[] } }): [string, string] {
  const [health, farming] = portal.helium.teams;
  if (!health || !farming) throw new Error('the small platform has two teams');
  return [health.name, farming.name];
}

/** Opens the page with a complete selection, and then the plan. */
async function openPlan(page: Page, app: SimulatedAppHandle, team: string): Promise<Locator> {
  const chosen = { team, source: app.dataSource.heliumDataSourceName, schema: app.schemaName };
  await arrive(page, `/schema-access?${new URLSearchParams(chosen)}`);
  const grant = page.getByRole('button', { name: 'Grant Access' });
  await expect.poll(() => grant.getAttribute('aria-disabled')).toBeNull();
  await grant.click();
  const plan = page.getByRole('dialog', { name: `Grant ${team} access to ${app.schemaName}?` });
  await seen(plan.locator('.cm-line').first());
  return plan;
}

function accessRows(page: Page): Locator {
  return page.getByRole('region', { name: 'Access', exact: true }).locator('tbody tr:not([class*="nothing"])');
}

/** Queries the app's database directly with all privileges, bypassing the portal. */
async function ask<Row>(app: SimulatedAppHandle, sql: string, values: readonly string[] = []): Promise<Row[]> {
  const url = new URL(getTestPostgresUrl());
  url.pathname = new URL(app.url).pathname;
  const pool = createPool(url.href, { max: 1, applicationName: 'e2e' });
  try {
    return (await pool.query(sql, [...values])).rows;
  } finally {
    await pool.end();
  }
}

/**
 * Makes the app's database refuse the statements of a grant. Returns a function that restores it.
 */
async function refuseToAlterTables(app: SimulatedAppHandle): Promise<() => Promise<unknown>> {
  await ask(
    app,
    `create function public.refuse() returns event_trigger language plpgsql as $$ begin raise exception 'not today'; end $$;
     create event trigger refuse on ddl_command_start when tag in ('ALTER TABLE') execute function public.refuse()`,
  );
  return () => ask(app, 'drop event trigger refuse; drop function public.refuse()');
}

/** Returns the owners of the schema ('') and of each table, view and sequence, by name. */
async function readOwners(app: SimulatedAppHandle): Promise<Record<string, string>> {
  const owned = await ask<{ name: string; owner: string }>(
    app,
    `select '' as name, nspowner::regrole::text as owner from pg_namespace where nspname = $1
     union all select relname, relowner::regrole::text from pg_class
       where relnamespace = $1::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S') order by 1`,
    [app.schemaName],
  );
  return Object.fromEntries(owned.map(({ name, owner }) => [name, owner]));
}
