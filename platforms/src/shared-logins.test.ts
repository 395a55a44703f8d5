import { expect, it } from 'vitest';
import { explainSharedLogins } from './shared-logins.ts';

it('names the data sources with one login, and what the owner of an app can do there', () => {
  const separate = { heliumDataSourceName: 'helium-app-1', grantUrl: 'postgres://granting@db/helium' };
  const shared = { heliumDataSourceName: 'helium-app-2' };
  expect(explainSharedLogins([{ name: 'Production', dataSources: [separate] }])).toBeNull();
  expect(
    explainSharedLogins([
      { name: 'Production', dataSources: [separate, shared] },
      { name: 'Staging', dataSources: [shared] },
    ]),
  ).toMatch(
    /^One login does everything in helium-app-2 \(Production\), helium-app-2 \(Staging\)\. .*the owner of one app can read and change all others/,
  );
});
