import { writeYaml } from '@portal/kit/write-yaml';
import type { DemoEnvironment } from '@portal/platforms/helium/demo';

const links = [
  { label: 'Monitoring', url: 'https://monitoring.example.com/' },
  { label: 'Infrastructure docs', url: 'https://docs.example.com/' },
  { label: 'Wiki', url: 'https://wiki.example.com/' },
  { label: 'Tickets', url: 'https://tickets.example.com/' },
  { label: 'Chat', url: 'https://chat.example.com/' },
];

/**
 * Writes what a company would write of its own platforms, for the simulated ones; it holds
 * passwords, so it is ours alone. `features`: the settings of those that talk to systems of their
 * own.
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
      dataSources: dataSources.map(({ heliumDataSourceName, hostname, dbName, url }) => ({
        heliumDataSourceName,
        hostname,
        dbName,
        url,
      })),
      teamUsers: [...teamUsers],
      journeyBaseUrls: [...journeyBaseUrls],
    })),
    ...features,
  };
  writeYaml(file, 'Written by npm start, at each start, for the platforms it simulates.', configuration);
}
