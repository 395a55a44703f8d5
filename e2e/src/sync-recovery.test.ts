// @module-tag long

/** The questions that halt an integration: what they explain, and how they are answered. */
import { getAudit } from '@portal/contract/audit';
import { withBase } from '@portal/contract/sync/base';
import { answerRecovery, type RecoveryQuestion } from '@portal/contract/sync/recovery';
import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { violations } from './axe-violations.ts';
import { createIntegration } from './create-integration.ts';
import type { Portal } from './portal.ts';
import {
  type AskedQuestion,
  createClearingsQuestion,
  createDeletionsQuestion,
  createRestoredQuestion,
  halt,
  readQuestion,
} from './recovery-questions.ts';
import { integrationNamed, rowOf } from './sync-screen.ts';
import { createTest, type Visit } from './test.ts';
import { arrive, gone, seen } from './user-actions.ts';

const test = createTest({
  roles: [
    { role: 'admin', users: ['demo'] },
    { role: 'viewer', users: ['health.dev'] },
  ],
});

const appName = 'Clinic Visits';
const dataSource = 'helium-app-1';
const answerPath = withBase('/sync/api/', answerRecovery).path;

interface Asked extends AskedQuestion {
  readonly page: Page;
  readonly dialog: Locator;
}

/** Opens the question from the list of integrations. */
async function openQuestion(visit: Visit, portal: Portal, question: RecoveryQuestion): Promise<Asked> {
  const page = await visit.open();
  await arrive(page, '/');
  await createIntegration(page, portal.app(appName), dataSource);
  const asked = await halt(page, portal, { appName, dataSource }, question);
  await page.goto('/#/sync');
  await rowOf(page, appName).getByRole('button', { name: 'Needs a decision' }).click();
  const dialog = page.getByRole('dialog', { name: `Records of ${appName}` });
  await seen(dialog.getByRole('heading', { level: 3 }).first());
  return { ...asked, page, dialog };
}

const option = (dialog: Locator, name: string) => dialog.getByRole('radio', { name, exact: true });
const button = (dialog: Locator, name: string) => dialog.getByRole('button', { name, exact: true });
const getCells = (row: Locator) => row.locator('th, td').allTextContents();

async function readAudit(page: Page) {
  const response = await page.request.get(`${getAudit.path}?action=sync.answer-recovery`);
  return getAudit.response.parse(await response.json()).entries;
}

describe('restored side', () => {
  test('explains what happened with a dry run, keeps both by default, and links to the conflicts', {
    tags: 'short',
  }, async ({ visit, portal }) => {
    const question = createRestoredQuestion();
    const { page, dialog, readAnswer } = await openQuestion(visit, portal, question);
    await seen(dialog.getByRole('heading', { name: 'Helium went back to an earlier state' }));
    await seen(dialog.getByText('Nothing was changed or deleted.'));
    await seen(dialog.getByText(/^The newest data in Helium is from 9\sh ago\. Helium was restored from a backup/));
    const table = dialog.getByRole('region', { name: 'Differences per object' });
    await expect.poll(() => getCells(table.locator('tbody tr').first())).toEqual(['visit', '3', '1,204', '37', '3']);
    await expect.poll(() => getCells(table.locator('tfoot tr'))).toEqual(['Total', '3', '1,221', '41', '3']);
    await seen(dialog.getByText(/2 other objects are equal\.$/));

    await expect.poll(() => option(dialog, 'Keep both').isChecked()).toBe(true);
    await seen(dialog.getByText('Helium: 1,216 records created, up to 40 changed, none deleted.'));
    await seen(dialog.getByText('Journey: 3 records created, up to 41 changed, none deleted.'));
    await seen(dialog.getByText('Journey: 3 records created, 41 changed, 1,221 deleted.'));
    await seen(dialog.getByText('Helium: 1,216 records created, 40 changed, 3 deleted.'));
    expect(await dialog.getByLabel('Type DELETE to confirm').count()).toBe(0);
    expect(await violations(page)).toEqual([]);

    await button(dialog, 'Keep both').click();
    const note = dialog.getByRole('status').filter({ hasText: 'Nothing is deleted.' });
    await seen(note);
    await expect.poll(() => note.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await readAnswer()).toBe('keep-both');
    expect(await integrationNamed(page, appName, '/sync/api/')).toMatchObject({
      status: 'Enabled',
      needsDecision: false,
    });
    expect((await readAudit(page))[0]).toMatchObject({
      outcome: 'done',
      before: { question: { kind: 'restored', side: 'helium' } },
      after: { answer: 'keep-both', effect: { helium: { deleted: 0 }, journey: { deleted: 0 } } },
    });
    expect(await violations(page)).toEqual([]);
    await note.getByRole('button', { name: 'Show the conflicts' }).click();
    await seen(dialog.getByText('No conflicts to review.'));
    await dialog.getByRole('tab', { name: 'Status history' }).click();
    await seen(dialog.getByText('answered: keep-both').first());
    await page.keyboard.press('Escape');
    await gone(rowOf(page, appName).getByRole('button', { name: 'Needs a decision' }));
  });

  test('makes one side equal to the other only after the typed confirmation, also by keyboard', async ({
    visit,
    portal,
  }) => {
    const { page, dialog, appId, readAnswer } = await openQuestion(visit, portal, createRestoredQuestion());
    await option(dialog, 'Keep both').focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => option(dialog, 'Helium is right').isChecked()).toBe(true);
    const act = button(dialog, 'Make Journey equal to Helium');
    const word = dialog.getByLabel('Type DELETE to confirm');
    for (const wrong of ['', 'delete', 'KEEP']) {
      await word.fill(wrong);
      await expect.poll(() => act.isDisabled(), { message: wrong }).toBe(true);
    }
    await word.press('Enter');
    await word.fill('DELETE');
    await option(dialog, 'Journey is right').check();
    await expect.poll(() => word.inputValue()).toBe('');
    await option(dialog, 'Helium is right').check();
    const data = { appId, questionId: (await readQuestion(page, appId))?.id, answer: 'helium', confirmation: 'delete' };
    const refused = await page.request.post(answerPath, { data, headers: { origin: portal.origin } });
    expect([refused.status(), (await refused.json()).fields]).toEqual([
      400,
      { confirmation: 'must be DELETE, because this answer deletes records' },
    ]);
    expect(await readAnswer()).toBeNull();

    await word.fill('DELETE');
    await word.press('Enter');
    await seen(dialog.getByRole('status').filter({ hasText: 'makes Journey equal to Helium.' }));
    expect(await dialog.getByRole('button', { name: 'Show the conflicts' }).count()).toBe(0);
    expect(await readAnswer()).toBe('helium');
  });

  test('informs a user whose answer comes too late, and shows who decided', async ({ visit, portal }) => {
    const { page, dialog, appId, question, readAnswer } = await openQuestion(visit, portal, createRestoredQuestion());
    const answerFirst = () =>
      page.request.post(answerPath, {
        data: { appId, questionId: question.id, answer: 'keep-both' },
        headers: { origin: portal.origin },
      });
    await page.route(`**${answerPath}`, async (route) => {
      expect((await answerFirst()).status()).toBe(200);
      await route.continue();
    });
    visit.trouble.expect(/409/);
    await option(dialog, 'Journey is right').check();
    await dialog.getByLabel('Type DELETE to confirm').fill('DELETE');
    await button(dialog, 'Make Helium equal to Journey').click();
    await seen(page.getByRole('alert').getByText(/This question is no longer open/));
    await seen(dialog.getByText(/^The question was answered in the meantime/));
    expect(await readAnswer()).toBe('keep-both');
    await dialog.getByRole('button', { name: 'Show the status history' }).click();
    await seen(dialog.getByText('answered: keep-both').first());
  });

  test('replaces the question on the screen when another user answers it or another one is asked', async ({
    visit,
    portal,
  }) => {
    const { page, dialog, appId, question } = await openQuestion(visit, portal, createRestoredQuestion());
    await option(dialog, 'Helium is right').check();
    const data = { appId, questionId: question.id, answer: 'keep-both' };
    await page.request.post(answerPath, { data, headers: { origin: portal.origin } });
    await seen(dialog.getByText(/^The question was answered in the meantime/));
    await halt(page, portal, { appName, dataSource }, createDeletionsQuestion());
    await seen(dialog.getByRole('heading', { name: 'All 140 records of patient would be deleted in Helium' }));
    await expect.poll(() => option(dialog, 'Keep them').isChecked()).toBe(true);
  });

  test('shows the request id and a retry when the question cannot be loaded', async ({ visit, portal }) => {
    const page = await visit.open();
    await arrive(page, '/');
    await createIntegration(page, portal.app(appName), dataSource);
    const { appId } = await halt(page, portal, { appName, dataSource }, createRestoredQuestion());
    const failure = {
      message: 'The data source helium-app-1 cannot be reached.',
      requestId: 'r-17',
      kind: 'unreachable',
    };
    visit.trouble.expect(/504/);
    await page.route('**/sync/api/recovery/*', (route) => route.fulfill({ status: 504, json: failure }));
    await page.goto(`/#/sync?records=${appId}`);
    const alert = page.getByRole('dialog').getByRole('alert');
    await seen(alert.getByText(/cannot be reached.*Request r-17/));
    await page.unroute('**/sync/api/recovery/*');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await seen(page.getByRole('heading', { name: 'Helium went back to an earlier state' }));
  });
});

describe('many deletions', () => {
  test('lists the records with their values, and keeps them by default', async ({ visit, portal }) => {
    const { page, dialog, readAnswer } = await openQuestion(visit, portal, createDeletionsQuestion());
    await seen(dialog.getByRole('heading', { name: 'All 140 records of patient would be deleted in Helium' }));
    await seen(dialog.getByText(/^They are missing in Journey\. A comparison found/));
    await seen(dialog.getByText('visit.patient_fk in 412 records'));
    await seen(dialog.getByText('Showing the first 100 of 140 records.'));
    const list = dialog.getByRole('region', { name: 'Records that would be deleted' });
    await seen(list.getByText('name Patient 1', { exact: true }));
    await expect.poll(() => list.locator('tbody tr').count()).toBe(10);
    await expect.poll(() => option(dialog, 'Keep them').isChecked()).toBe(true);
    await seen(dialog.getByText('Journey: 140 records created, none deleted.'));
    await seen(dialog.getByText('Helium: 413 records changed, 140 deleted.'));
    expect(await violations(page)).toEqual([]);
    await button(dialog, 'Keep the records').click();
    await seen(dialog.getByRole('status').filter({ hasText: 'keeps the 140 records of patient' }));
    expect(await readAnswer()).toBe('keep');
  });

  test('deletes them after the typed confirmation', async ({ visit, portal }) => {
    const { dialog, readAnswer } = await openQuestion(visit, portal, createDeletionsQuestion());
    await option(dialog, 'Delete them').check();
    const act = button(dialog, 'Delete 140 records');
    await expect.poll(() => act.isDisabled()).toBe(true);
    await dialog.getByLabel('Type DELETE to confirm').fill('DELETE');
    await act.click();
    await seen(dialog.getByRole('status').filter({ hasText: 'deletes the 140 records of patient in Helium' }));
    expect(await readAnswer()).toBe('delete');
  });
});

describe('many cleared values', () => {
  test('counts the values of each field that would be cleared, lists them, and keeps them by default', async ({
    visit,
    portal,
  }) => {
    const { page, dialog, readAnswer } = await openQuestion(visit, portal, createClearingsQuestion());
    await seen(dialog.getByRole('heading', { name: '143 values of patient would be cleared in Helium' }));
    await seen(dialog.getByText('Nothing was changed or cleared.'));
    const fields = dialog.getByRole('region', { name: 'Values per field' });
    await expect
      .poll(() => fields.getByRole('row').allTextContents())
      .toEqual(['FieldMissing in JourneyBoth had', 'code140140', 'rank397']);
    await seen(dialog.getByText('Showing the first 100 of 140 records.'));
    const list = dialog.getByRole('region', { name: 'Values that would be cleared' });
    await seen(list.getByText('code 1000', { exact: true }));
    await expect.poll(() => option(dialog, 'Keep them').isChecked()).toBe(true);
    await seen(dialog.getByText('Journey: 140 records changed, none deleted.'));
    await seen(dialog.getByText('Safe: clears nothing'));
    await seen(dialog.getByText('Helium: 140 records changed, none deleted.'));
    expect(await violations(page)).toEqual([]);
    await button(dialog, 'Keep the values').click();
    await seen(dialog.getByRole('status').filter({ hasText: 'keeps the values of patient. Nothing is cleared.' }));
    expect(await readAnswer()).toBe('keep');
  });

  test('clears them after the typed confirmation', async ({ visit, portal }) => {
    const { page, dialog, readAnswer } = await openQuestion(visit, portal, createClearingsQuestion());
    await option(dialog, 'Clear them').check();
    const act = button(dialog, 'Clear 143 values');
    await expect.poll(() => act.isDisabled()).toBe(true);
    await seen(dialog.getByText('143 values will be cleared.'));
    await dialog.getByLabel('Type DELETE to confirm').fill('DELETE');
    await act.click();
    await seen(dialog.getByRole('status').filter({ hasText: 'clears 143 values of patient in Helium' }));
    expect(await readAnswer()).toBe('clear');
    expect((await readAudit(page))[0]).toMatchObject({
      before: { question: { kind: 'clearings', side: 'helium' } },
      after: { answer: 'clear', effect: { helium: { changed: 140 }, journey: { changed: 0 } } },
    });
  });
});

test('shows everything to a user who may not decide, with the reason, and the server enforces it', async ({
  visit,
  portal,
}) => {
  const { appId, question, readAnswer } = await openQuestion(visit, portal, createRestoredQuestion());
  const page = await visit.open();
  await arrive(page, `/sync?records=${appId}`, { who: { userName: 'health.dev', password: 'health' } });
  const dialog = page.getByRole('dialog', { name: `Records of ${appName}` });
  const reason =
    'You need the role maintainer or admin to change sync integrations in Production; you have the role viewer.';
  await seen(dialog.getByRole('heading', { name: 'Helium went back to an earlier state' }));
  await seen(dialog.getByRole('region', { name: 'Differences per object' }));
  await seen(dialog.getByText('Journey: 3 records created, 41 changed, 1,221 deleted.'));
  await seen(dialog.getByText(reason));
  for (const name of ['Keep both', 'Helium is right', 'Journey is right'])
    await expect.poll(() => option(dialog, name).isDisabled(), { message: name }).toBe(true);
  expect(await violations(page)).toEqual([]);
  const act = button(dialog, 'Keep both');
  expect([await act.getAttribute('aria-disabled'), await act.getAttribute('aria-description')]).toEqual([
    'true',
    reason,
  ]);
  await act.click({ force: true });
  const data = { appId, questionId: question.id, answer: 'keep-both' };
  const refused = await page.request.post(answerPath, { data, headers: { origin: portal.origin } });
  expect(refused.status()).toBe(403);
  expect(await readAnswer()).toBeNull();
});

test.for([createRestoredQuestion(), createDeletionsQuestion(), createClearingsQuestion()])(
  'fits a phone of 360 px without scrolling sideways: $kind',
  async (question, { visit, portal }) => {
    const { appId } = await openQuestion(visit, portal, question);
    const page = await visit.open({ viewport: { width: 360, height: 740 } });
    await arrive(page, `/sync?records=${appId}`);
    const dialog = page.getByRole('dialog', { name: `Records of ${appName}` });
    await seen(dialog.getByRole('radio').first());
    const findOverflowing = () =>
      dialog.evaluate((element) =>
        [document.documentElement, element, ...element.querySelectorAll('section, fieldset, form')]
          .filter(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth)
          .map(({ className, clientWidth, scrollWidth }) => `${className}: ${scrollWidth} > ${clientWidth}`),
      );
    await expect.poll(findOverflowing).toEqual([]);
    expect(await violations(page)).toEqual([]);
  },
);
