import { Secret } from '@portal/kit/secret';
import { expect, test } from 'vitest';
import { createEngine } from './create-engine.ts';
import { createIntegration, environment } from './pump/testing/sync-integration.fixture.ts';
import { testConfig } from './service-config.fixture.ts';

test.each(['https://run-us.elsewhere.example.com/api/v4/one', 'https://run-us.example.com/api/v5/one'])(
  'halts an integration whose Journey address is no longer configured, without calling it: %s',
  async (url) => {
    const engine = createEngine({ config: testConfig('postgres://127.0.0.1:1/never-asked') });
    const integration = createIntegration({ id: 'one', url, userName: 'one' }, 'app');
    const end = await engine.startRun({
      integration,
      fence: '1',
      journeyPassword: new Secret('secret'),
      signal: new AbortController().signal,
      assertLease: () => undefined,
      log: () => undefined,
      publish: () => undefined,
      withSlot: (work) => work(),
      onWake: () => undefined,
    });
    const reason = `${url} is not below a Journey address configured for ${environment}.`;
    expect(end).toEqual({ outcome: 'halted', reason, position: '' });
    await engine.stop();
  },
);
