import * as contract from '@portal/contract/dev-client';
import { NotFound } from '@portal/kit/problems';
import { withVersion } from '@portal/platforms/releases/client';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import { wantsFresh } from '../../http/wants-fresh.ts';
import { LatestRelease } from './latest-release.ts';

export function devClientRoutes({ config: { devClient }, pool }: Dependencies): RoutesOf<typeof contract> {
  const configured = devClient && { settings: devClient, latest: new LatestRelease(pool, devClient) };
  const require = () => {
    if (configured) return configured;
    throw new NotFound("Developer client downloads are not configured. Set devClient in the portal's configuration.");
  };
  return {
    getLatestReleaseVersion: route(contract.getLatestReleaseVersion, async ({ request }) => {
      const { version } = await require().latest.read({ fresh: wantsFresh(request) });
      return version;
    }),

    getDevClient: route(contract.getDevClient, async ({ request }) => {
      const { settings, latest } = require();
      const release = await latest.read({ fresh: wantsFresh(request) });
      const { version, readAt, problem } = release;
      return {
        version,
        client: {
          label: 'Client',
          url: withVersion(settings.clientUrl, version),
          sha256: release.clientSha256,
          sha1: release.clientSha1,
        },
        noUiClient: {
          label: 'No ui client',
          url: withVersion(settings.noUiClientUrl, version),
          sha256: release.noUiClientSha256,
          sha1: release.noUiClientSha1,
        },
        installCommand: withVersion(settings.installCommand, version),
        readAt: readAt.toISOString(),
        problem,
      };
    }),
  };
}
