import { writeYaml } from '@portal/kit/write-yaml';
import type { DemoEnvironment } from '@portal/platforms/helium/demo';

const LINKS = [
  { label: 'Monitoring', url: 'https://monitoring.example.com/' },
  { label: 'Infrastructure docs', url: 'https://docs.example.com/' },
  { label: 'Wiki', url: 'https://wiki.example.com/' },
  { label: 'Tickets', url: 'https://tickets.example.com/' },
  { label: 'Chat', url: 'https://chat.example.com/' },
];

/** Writes what a company would write of its own platform, for the simulated one; it holds passwords, so it is ours alone. */
export function writeDemoConfiguration(
  file: string,
  environments: readonly DemoEnvironment[],
  stateFolder: string,
): void {
  const configuration = {
    stateFolder,
    links: LINKS,
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
    })),
  };
  writeYaml(file, 'Written by npm start, at each start, for the platforms it simulates.', configuration);
}
