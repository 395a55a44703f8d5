import { maxWebhookSecrets } from '@portal/contract/sync/webhooks';
import { expect, test } from 'vitest';
import { readSecrets } from './read-secrets.ts';

const one = 'the first secret';
const two = 'the second secret';

test('reads one secret per line, without empty lines, outer spaces and repetitions', () => {
  expect(readSecrets(` ${one}\r\n\n ${two} \n${one}\n`)).toEqual({ secrets: [one, two], problem: null });
});

test.each([
  ['\n \n', 'Enter at least one secret.'],
  [Array.from({ length: maxWebhookSecrets + 1 }, (_, at) => `s${at}`).join('\n'), 'Enter at most 50 secrets.'],
  [`${one}\n${'x'.repeat(15)}`, 'Secret 2 is too short: it needs 16 characters.'],
  [`${one}\n${'x'.repeat(201)}`, 'Secret 2 is too long.'],
])('reports what cannot be saved (%#)', (text, problem) => {
  expect(readSecrets(text).problem).toBe(problem);
});
