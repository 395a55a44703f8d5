import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeYaml } from '@portal/kit/write-yaml';
import { otherDialect, startTranslator } from '@portal/platforms/helium/translator.fixture';
import type { HeliumSimulator } from '@portal/simulators/helium/simulator';
import { startTestSimulator } from '@portal/simulators/helium/test-simulator';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readArguments } from './read-arguments.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const credentials = { HELIUM_USER: 'demo', HELIUM_PASSWORD: 'demo' };

let folder: string;
let helium: HeliumSimulator;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'doctor-'));
  helium = await startTestSimulator();
});
afterAll(async () => {
  await helium.stop({ dropDatabases: true });
  rmSync(folder, { recursive: true });
});

/** Runs the doctor on a configuration with one environment. */
function runDoctor(baseUrl: string, args: readonly string[], env: Record<string, string> = credentials) {
  const file = join(folder, 'portal.yaml');
  const dialect = { appConfig: { write: { style: 'merge' } } };
  const environment = { name: 'Production', baseUrl, helium: dialect, dataSources: helium.dataSources };
  writeYaml(file, 'A test.', { databaseUrl: 'postgres://portal@127.0.0.1:1/portal', environments: [environment] });
  return new Promise<{ readonly code: number | null; readonly output: string }>((resolve) => {
    const command = ['--import', 'tsx', main, '--log-seconds', '0', ...args];
    const child = execFile(
      process.execPath,
      command,
      { env: { PATH: process.env.PATH, PORTAL_CONFIG: file, ...env } },
      (_, stdout, stderr) => resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
}

describe('doctor command', () => {
  it('exits with 0 when the portal can work with the environment', async () => {
    const { code, output } = await runDoctor(helium.baseUrl, ['--environment', 'Production']);
    expect(output).toContain('The portal can work with this environment.');
    expect(output).toContain('Data source helium-app-2');
    expect(code).toBe(0);
  });

  it('exits with 1 and prints the settings when the platform differs', async () => {
    const translator = await startTranslator(helium.baseUrl, otherDialect);
    onTestFinished(() => translator.stop());
    const { code, output } = await runDoctor(translator.baseUrl, []);
    expect(output).toContain('environments:\n  - name: "Production"\n    helium:\n      appList:\n');
    expect(output).toContain('          path: "/helium/api/v2/apps"\n');
    expect(code).toBe(1);
  });

  it('exits with 2 and says what is missing when it cannot begin', async () => {
    const withoutPassword = await runDoctor(helium.baseUrl, [], {});
    expect(withoutPassword).toEqual({ code: 2, output: 'Set HELIUM_USER and HELIUM_PASSWORD to API credentials.\n' });
    const unknown = await runDoctor(helium.baseUrl, ['--environment', 'Nowhere']);
    expect(unknown.output).toContain('--environment is one of Production.');
  });
});

describe('arguments of the doctor', () => {
  it('take an environment and a function to toggle', () => {
    expect(readArguments(['--environment', 'Staging', '--toggle', 'Clinic Visits', 'A:b'])).toEqual({
      environment: 'Staging',
      toggle: { app: 'Clinic Visits', name: 'A:b' },
      logMs: 5_000,
    });
    expect(() => readArguments(['--toggle', 'Clinic Visits'])).toThrow('--toggle needs an app and a function');
    expect(() => readArguments(['A:b'])).toThrow('--toggle needs an app and a function');
    expect(() => readArguments(['--nothing'])).toThrow("Unknown option '--nothing'");
  });
});
