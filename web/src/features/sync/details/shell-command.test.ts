import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { shellQuote, versionCommand } from './shell-command.ts';

it('quotes any text so that a shell reads it as one word', () => {
  const word = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), (words) => {
      const output = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${words.map(shellQuote).join(' ')}`], {
        encoding: 'utf8',
      });
      expect(output.split('\0').slice(0, -1)).toEqual(words);
    }),
    { numRuns: 20 },
  );
});

it('builds a version command that contains no password', () => {
  const command = versionCommand({
    origin: 'https://portal.example.com',
    base: '/sync/api/',
    appId: 'a/1',
    heliumBaseUrl: 'https://helium.example.com',
    username: "o'neil",
    field: 'oplogVersion',
  });
  expect(command).toBe(
    `curl -fsS -u 'o'\\''neil':"$PASSWORD" 'https://portal.example.com/sync/api/get/a%2F1?baseUrl=https%3A%2F%2Fhelium.example.com' | jq -r .oplogVersion`,
  );
});
