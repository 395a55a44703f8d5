// @module-tag long

// cspell:ignore nevermind (the specification's text)
import { describe, expect } from 'vitest';
import { test } from './test.ts';
import { arrive, gone, seen } from './user-actions.ts';

const entries = [
  ['Home', '#/'],
  ['Apps', '#/apps'],
  ['Helium-Journey Sync', '#/sync'],
  ['DB Spy', '#/dbspy'],
  ['Schema Access', '#/schema-access'],
  ['Support Roster', '#/support-roster'],
  ['Helium Dev Client', '#/helium-dev-latest'],
] as const;

describe('shell', () => {
  test('shows the user, the environment and the current year, or that no one is signed in', async ({ page }) => {
    await page.goto('/');
    await seen(page.getByText('Not signed in'));
    await seen(page.getByText('Portal', { exact: true }).first());
    await arrive(page, '/');
    await seen(page.getByText('Signed into Production as demo'));
    await seen(page.getByRole('contentinfo').getByText(String(new Date().getFullYear())));
  });

  test('names production on every screen, and other environments by their own names', async ({ page }) => {
    const [app] = await arrive(page, '/');
    for (const route of ['/', '/apps', `/config/${app?.id}`, `/logs/${app?.id}`, '/dbspy', '/audit']) {
      await page.goto(`/#${route}`);
      await seen(page.getByText('Production', { exact: true }).first());
    }
    // A call of this page would be refused once the other session is there.
    await page.goto('about:blank');
    await arrive(page, '/', { environment: 'Staging' });
    await seen(page.getByText('Signed into Staging as demo'));
    await gone(page.getByText('Production', { exact: true }).first());
  });

  test('lists every entry in a panel a quarter of the window wide, which Escape closes', { tags: 'short' }, async ({
    page,
  }) => {
    await page.setViewportSize({ width: 1600, height: 900 });
    await arrive(page, '/');
    const toggle = page.getByRole('button', { name: /menu/i });
    await toggle.click();
    const panel = page.getByRole('dialog');
    await seen(panel.getByRole('link', { name: 'Apps', exact: true }));
    for (const [name, href] of [...entries, ['Deployments', '#/deployments'] as const]) {
      const link = panel.getByRole('link', { name, exact: true });
      await expect.poll(() => link.getAttribute('href')).toMatch(new RegExp(`${href}/?$`));
    }
    const external = panel.locator('a[href^="http"]');
    await expect.poll(() => external.count()).toBe(5);
    for (const link of await external.all())
      await expect.poll(() => link.getAttribute('rel')).toMatch(/noopener|noreferrer/);
    // Relative to the visible width, because a scroll bar takes some of it.
    const share = async () => ((await panel.boundingBox())?.width ?? 0) / 1600;
    await expect.poll(share).toBeGreaterThan(0.245);
    expect(await share()).toBeLessThanOrEqual(0.25);

    await page.keyboard.press('Escape');
    await gone(panel);
    await expect.poll(() => toggle.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test('keeps the entries of the panel beside the page in a wide window, open or collapsed', async ({ page }) => {
    await page.setViewportSize({ width: 1440, height: 800 });
    await arrive(page, '/');
    const screens = page.getByRole('navigation', { name: 'Screens' });
    await expect
      .poll(() => screens.getByRole('link').allTextContents())
      .toEqual(expect.arrayContaining([...entries.map(([name]) => name), 'Deployments']));
    await screens.getByRole('link', { name: 'Apps', exact: true }).click();
    await seen(page.getByRole('heading', { level: 1, name: 'Helium Apps' }));
    await expect.poll(() => screens.locator('[aria-current="page"]').allTextContents()).toEqual(['Apps']);
    const width = async () => (await page.getByRole('main').boundingBox())?.width ?? 0;
    const open = await width();
    await page.getByRole('button', { name: 'Collapse sidebar' }).click();
    await expect.poll(width).toBeGreaterThan(open + 100);
    await page.reload();
    await page.getByRole('button', { name: 'Expand sidebar' }).click();
    await page.setViewportSize({ width: 1200, height: 800 });
    await page.reload();
    await seen(page.getByRole('button', { name: 'Collapse sidebar' }));
    await screens.getByRole('link', { name: 'Home', exact: true }).click();
    await seen(page.getByRole('heading', { level: 1, name: 'Hello demo' }));
    await page.setViewportSize({ width: 1199, height: 800 });
    await gone(screens);
  });

  test('links to Deployments in production only', async ({ page }) => {
    await arrive(page, '/', { environment: 'Staging' });
    await page.getByRole('button', { name: /menu/i }).click();
    const panel = page.getByRole('dialog');
    await seen(panel.getByRole('link', { name: 'Apps', exact: true }));
    expect(await panel.getByRole('link', { name: 'Deployments' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.goto('/#/deployments');
    await seen(page.getByText('Deployments are scheduled in Production. You are signed into Staging.'));
  });

  test('confirms signing out, and the server ends the session', { tags: 'short' }, async ({ page, visit }) => {
    await arrive(page, '/apps');
    const signOut = page.getByRole('button', { name: 'Sign out' });
    await signOut.click();
    const modal = page.getByRole('dialog', { name: 'Going so soon?' });
    await modal.getByRole('button', { name: 'Nevermind.' }).click();
    await gone(modal);
    await seen(page.getByText('Signed into Production as demo'));

    await signOut.click();
    await page.keyboard.press('Escape');
    await gone(modal);

    await signOut.click();
    await modal.getByRole('button', { name: 'Sign me out!' }).click();
    await seen(page.getByRole('button', { name: 'Sign In', exact: true }));
    await seen(page.getByText('Not signed in'));
    expect(new URL(page.url()).hash).toMatch(/^(#\/)?$/);
    visit.trouble.expect(/401/);
    expect((await page.request.get('/portal-backend/api/session')).status()).toBe(401);
    await page.reload();
    await seen(page.getByRole('button', { name: 'Sign In', exact: true }));
  });

  test('finds apps with Ctrl+K by name, id, address and schema', { tags: 'short' }, async ({ page }) => {
    const [app] = await arrive(page, '/');
    if (!app) throw new Error('no app');
    for (const words of [app.name, app.id, app.fqdn, app.schemaName]) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find apps and screens' }).fill(words);
      await seen(page.getByRole('dialog').getByText(app.name).first());
      await page.keyboard.press('Escape');
      await gone(page.getByRole('dialog'));
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find apps and screens' }).fill('Support Roster');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).hash).toMatch(/^#\/support-roster\/?$/);
  });

  test('opens the palette with a Ctrl+K at the very moment when the shell is there', async ({ page }) => {
    await page.addInitScript(() => {
      const observer = new MutationObserver(() => {
        if (!document.querySelector('#main')) return;
        observer.disconnect();
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true }));
      });
      observer.observe(document, { childList: true, subtree: true });
    });
    await arrive(page, '/');
    await seen(page.getByRole('combobox', { name: 'Find apps and screens' }));
  });

  test('gives the palette every key from Ctrl+K on, also while it is loading', async ({ page, portal }) => {
    const app = portal.app('Stock Room');
    await arrive(page, `/logs/${app.id}`);
    app.log({ key: 'INFO', value: 'stays in the log' });
    await seen(page.getByText('stays in the log'));
    let load = () => {};
    const isTyped = new Promise<void>((resolve) => {
      load = resolve;
    });
    await page.route(/palette/, async (route) => {
      await isTyped;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('colds');
    await page.keyboard.press('Backspace');
    load();
    const field = page.getByRole('combobox', { name: 'Find apps and screens' });
    await expect.poll(() => field.inputValue()).toBe('cold');
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type(' chain');
    await expect.poll(() => field.inputValue()).toBe('cold chain');
    await page.keyboard.press('Escape');
    await gone(field);
    // The key c would have cleared it.
    await seen(page.getByText('stays in the log'));
    await page.keyboard.press('Control+k');
    await expect.poll(() => field.inputValue()).toBe('');
  });

  test('runs actions of the page and of any app from the palette, with their confirmations', async ({
    page,
    portal,
  }) => {
    const app = portal.app('Clinic Visits');
    const find = async (words: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find apps and screens' }).fill(words);
      await page.keyboard.press('Enter');
    };
    await arrive(page, '/dbspy?mode=datasource&source=helium-app-1');
    await seen(page.getByRole('button', { name: 'Reset Stats' }));
    await find('reset stats');
    await seen(page.getByRole('dialog', { name: 'Reset Stats' }));
    await page.keyboard.press('Escape');
    await gone(page.getByRole('dialog'));

    await page.goto(`/#/config/${portal.app('Stock Room').id}`);
    await seen(page.getByRole('button', { name: 'New entry-point' }));
    await expect
      .poll(() => page.getByRole('button', { name: 'New entry-point' }).getAttribute('aria-disabled'))
      .not.toBe('true');
    await find('new entry');
    await seen(page.getByRole('dialog', { name: 'New entry-point' }));
    await page.keyboard.press('Escape');
    await gone(page.getByRole('dialog'));

    await find('clinic new entry');
    await seen(page.getByRole('dialog', { name: 'New entry-point' }));
    expect(new URL(page.url()).hash).toBe(`#/config/${app.id}`);
    await page.keyboard.press('Escape');
    await gone(page.getByRole('dialog'));

    await find('clinic disable');
    const confirmation = page.getByRole('dialog', { name: 'Disable this app?' });
    await seen(confirmation);
    expect(new URL(page.url()).hash).toBe(`#/config/${app.id}`);
    await page.keyboard.press('Escape');
    await gone(confirmation);
    await expect.poll(() => page.getByRole('combobox', { name: 'Enabled or disabled' }).inputValue()).toBe('Enabled');
  });

  test('goes to a screen with g and a letter, until single keys are turned off', async ({ page }) => {
    await arrive(page, '/');
    const isAt = (route: string) => expect.poll(() => new URL(page.url()).hash).toMatch(new RegExp(`^#${route}/?$`));
    await expect
      .poll(async () => {
        // The letter must follow soon, which a machine under load may not manage at once.
        await page.keyboard.press('g');
        await page.keyboard.press('a');
        return new URL(page.url()).hash;
      })
      .toMatch(/^#\/apps\/?$/);
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await seen(keys.getByText('Go to Apps'));
    await keys.getByRole('switch', { name: 'Single keys' }).click();
    await gone(keys.getByText('Go to Apps'));
    await page.keyboard.press('Escape');
    await gone(keys);
    await page.reload();
    await seen(page.getByRole('heading', { level: 1 }));
    for (const key of ['g', 'h', '?']) await page.keyboard.press(key);
    await page.keyboard.press('Control+k');
    await seen(page.getByRole('combobox', { name: 'Find apps and screens' }));
    await isAt('/apps');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(1);
  });

  test('shows the keyboard shortcuts with ?', async ({ page }) => {
    await arrive(page, '/');
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog');
    await seen(keys.getByText('Ctrl').first());
    await page.keyboard.press('Escape');
    await gone(keys);
  });

  test("follows the system's color scheme, or the user's choice", async ({ visit }) => {
    const page = await visit.open({ colorScheme: 'dark' });
    await arrive(page, '/');
    const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme');
    await expect.poll(scheme).toBe('dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(scheme).toBe('light');

    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
    await expect.poll(scheme).toBe('dark');
    await page.reload();
    await expect.poll(scheme).toBe('dark');
  });
});

describe('home', () => {
  test('greets the user, and its three tiles lead to their pages', async ({ page }) => {
    await arrive(page, '/home');
    const main = page.getByRole('main');
    await seen(main.getByText(/demo/).first());
    for (const [tile, hash] of [
      ['Helium Apps', /^#\/apps\/?$/],
      ['HeliumJourney Sync', /^#\/sync\/?$/],
      ['DevOps Deployments', /^#\/deployments\/?$/],
    ] as const) {
      await page.goto('/#/home');
      await main.getByRole('link', { name: tile }).click();
      await expect.poll(() => new URL(page.url()).hash).toMatch(hash);
    }
  });

  test('grays out the Deployments tile outside production', async ({ page }) => {
    await arrive(page, '/', { environment: 'Zambia-production' });
    const main = page.getByRole('main');
    await seen(main.getByText('DevOps Deployments'));
    expect(await main.getByRole('link', { name: 'DevOps Deployments' }).count()).toBe(0);
  });
});
