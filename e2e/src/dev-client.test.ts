import { describe, expect } from 'vitest';
import { test } from './test.ts';
import { arrive, gone, seen, showsBriefly } from './user-actions.ts';

describe('developer client', () => {
  test('retries when no release is known yet', async ({ page, portal, visit }) => {
    visit.trouble.expect(/502/);
    portal.releases.faults.set({ path: 'maven-metadata', mode: 'error500' });
    await arrive(page, '/helium-dev-latest');
    const problem = page.getByRole('alert').first();
    await seen(problem);
    portal.releases.faults.clear();
    await problem.getByRole('button', { name: 'Try again' }).click();
    await seen(page.getByText('Version 2.14.0'));
    await gone(problem);
  });

  test('copies the install command', async ({ page, portal }) => {
    await arrive(page, '/helium-dev-latest');
    const command = `curl -fsSLO ${portal.releases.noUiClientUrl.replaceAll('{version}', '2.14.0')}`;
    await seen(page.getByText(command));
    const popup = page.getByRole('status').filter({ hasText: 'Copied' });
    await showsBriefly(popup.getByText('Paste me into terminal!'), () =>
      page.getByRole('button', { name: 'Copy', exact: true }).click(),
    );
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(command);
  });

  test('offers downloads with and without a user interface, each with its checksum', async ({ page, portal }) => {
    await arrive(page, '/helium-dev-latest');
    const links = page.getByRole('region', { name: 'Downloads' }).getByRole('listitem');
    await expect.poll(() => links.count()).toBe(2);
    for (const [at, template] of [portal.releases.clientUrl, portal.releases.noUiClientUrl].entries()) {
      const url = template.replaceAll('{version}', '2.14.0');
      const sha256 = await (await fetch(`${url}.sha256`)).text();
      await expect.poll(() => links.nth(at).getByRole('link').getAttribute('href')).toBe(url);
      const link = links.nth(at);
      await showsBriefly(link.getByRole('button', { name: 'Copied' }), () =>
        link.getByRole('button', { name: /^Copy the SHA-256/ }).click(),
      );
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(sha256);
    }
  });

  test('shows the last known release while the repository is unreachable, and reports that', async ({
    page,
    portal,
  }) => {
    await arrive(page, '/helium-dev-latest');
    await seen(page.getByText('Version 2.14.0'));
    portal.releases.faults.set({ path: 'maven-metadata', mode: 'error500' });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await seen(page.getByText(/The latest check failed/));
    await seen(page.getByText('Version 2.14.0'));
    portal.releases.faults.clear();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await gone(page.getByText(/The latest check failed/));
  });
});
