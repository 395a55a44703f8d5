import type { EnvironmentDefinition, UserDefinition } from './definition.ts';

/** Returns the user of the HTTP Basic credentials; undefined when they are wrong. */
export function authenticate(
  environment: EnvironmentDefinition,
  authorization: string | undefined,
): UserDefinition | undefined {
  const [scheme, encoded] = (authorization ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'basic' || encoded === undefined) return undefined;
  const [userName, ...password] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return environment.users.find((user) => user.userName === userName && user.password === password.join(':'));
}

export function canSeeApp(user: UserDefinition, appName: string): boolean {
  return user.apps === 'all' || user.apps.includes(appName);
}
