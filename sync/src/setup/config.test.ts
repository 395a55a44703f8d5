import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readConfig } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'sync-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function read(yaml: string, env: Record<string, string> = {}) {
  const file = join(folder, 'portal.config.yaml');
  writeFileSync(file, `environments: [{ name: Production, baseUrl: "https://helium.example.com" }]\n${yaml}`);
  return readConfig({ PORTAL_CONFIG: file, PORTAL_DATABASE_URL: 'postgres://portal@db/portal', ...env });
}

it("reads the server's file and ignores the server's own settings", () => {
  const config = read(`sync: { slots: 3 }\ndeployments: { jira: { token: "\${NOT_SET_HERE}" } }\nproduct: 7`);
  expect(config.sync).toMatchObject({ slots: 3, connectionsPerDatabase: 20 });
  expect(config).not.toHaveProperty('product');
});

it('reads the same environment variables as the server', () => {
  const config = read('logLevel: debug\nstateFolder: state', {
    LOG_LEVEL: 'warn',
    PORTAL_STATE_DIR: '/var/lib/portal',
  });
  expect(config).toMatchObject({ logLevel: 'warn', stateFolder: '/var/lib/portal' });
});

it('reports errors in its own settings', () => {
  expect(() => read('sync: { slots: 0, color: red }')).toThrow(/2 errors:\n.*sync\.slots.*\n.*sync.*color/);
});
