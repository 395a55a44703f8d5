/** Where the calls may be, in the order in which they are tried. They are only read. */
const administration = '/api/1/app-exec-admin';

export const candidatePaths = {
  appList: [
    ...['/helium/api/v2', '/helium/api/v1', '/api/v2', '/api/v1', '/api/1', administration].flatMap((base) => [
      `${base}/app`,
      `${base}/apps`,
    ]),
  ],
  appConfig: toPaths('app-config', 'app-configs', 'app-configuration', 'config', 'configuration'),
  scheduledEvents: toPaths(
    'scheduled-events',
    'scheduled-event',
    'scheduled-functions',
    'scheduled-function',
    'schedules',
  ),
} as const;

function toPaths(...names: string[]): string[] {
  return names.flatMap((name) => [
    `${administration}/${name}/{appId}`,
    `${administration}/app/{appId}/${name}`,
    `${administration}/apps/{appId}/${name}`,
    `${administration}/${name}?appId={appId}`,
  ]);
}
