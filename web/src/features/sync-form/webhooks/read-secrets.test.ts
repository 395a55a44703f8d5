import { maxWebhookSecrets } from '@portal/contract/sync-webhooks';
import { expect, test } from 'vitest';
import { readSecrets } from './read-secrets.ts';

test('reads one secret per line, without empty lines, outer spaces and repetitions', () => {
  expect(readSecrets(' one\r\n\n two \none\n')).toEqual({ secrets: ['one', 'two'], problem: null });
});

test.each([
  ['\n \n', 'Enter at least one secret.'],
  [Array.from({ length: maxWebhookSecrets + 1 }, (_, at) => `s${at}`).join('\n'), 'Enter at most 50 secrets.'],
  [`fine\n${'x'.repeat(201)}`, 'Secret 2 is too long.'],
])('reports what cannot be saved (%#)', (text, problem) => {
  expect(readSecrets(text).problem).toBe(problem);
});
