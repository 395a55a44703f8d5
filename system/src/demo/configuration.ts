import { writeYaml } from '@portal/kit/write-yaml';
import type { DemoEnvironment } from '@portal/simulators/helium/demo';

const links = [
  { label: 'Monitoring', url: 'https://monitoring.example.com/' },
  { label: 'Infrastructure docs', url: 'https://docs.example.com/' },
  { label: 'Wiki', url: 'https://wiki.example.com/' },
  { label: 'Tickets', url: 'https://tickets.example.com/' },
  { label: 'Chat', url: 'https://chat.example.com/' },
];

/**
 * Writes the configuration that a company would write for its platforms, for the simulated ones.
 * The file holds passwords, so only the owner may read it. `features` are the settings of features
 * with external systems.
 */
export function writeDemoConfiguration(
  file: string,
  environments: readonly DemoEnvironment[],
  journeyBaseUrls: readonly string[],
  stateFolder: string,
  features: Readonly<Record<string, unknown>>,
): void {
  const configuration = {
    stateFolder,
    links,
    environments: environments.map(({ name, baseUrl, timeZone, color, dataSources, teamUsers }) => ({
      name,
      baseUrl,
      color,
      timeZone,
      // The simulators keep what a change does not send. A company sets this once a test app has
      // shown it.
      helium: { appConfig: { write: { style: 'merge' } } },
      dataSources: dataSources.map(({ heliumDataSourceName, hostname, dbName, url, grantUrl }) => ({
        heliumDataSourceName,
        hostname,
        dbName,
        url,
        grantUrl,
      })),
      teamUsers: [...teamUsers],
      journeyBaseUrls: [...journeyBaseUrls],
    })),
    ...features,
  };
  writeYaml(file, 'Written by npm start, at each start, for the platforms it simulates.', configuration);
}
