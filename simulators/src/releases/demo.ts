/** The release repository of `npm start`. */
import { join } from 'node:path';
import { getStablePort } from '@portal/kit/ports';
import { startReleasesSimulator } from './simulator.ts';

interface DemoReleases {
  /** The values for the portal's configuration. */
  readonly devClient: {
    readonly metadataUrl: string;
    readonly clientUrl: string;
    readonly noUiClientUrl: string;
    readonly installCommand: string;
  };
  stop(): Promise<void>;
}

/** `stateDir` stores the port, so that copied addresses stay valid. */
export async function startDemoReleases({ stateDir }: { readonly stateDir: string }): Promise<DemoReleases> {
  const port = await getStablePort(join(stateDir, 'ports.json'), 'releases');
  const { metadataUrl, clientUrl, noUiClientUrl, stop } = await startReleasesSimulator({ port });
  return {
    devClient: { metadataUrl, clientUrl, noUiClientUrl, installCommand: `curl -fsSLO ${noUiClientUrl}` },
    stop,
  };
}
