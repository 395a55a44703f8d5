interface ConfiguredEnvironment {
  readonly name: string;
  readonly dataSources: readonly { readonly heliumDataSourceName: string; readonly grantUrl?: unknown }[];
}

/**
 * Returns what the owner of one app can do in the data sources that have one login for everything,
 * for the log at the start; null where all have separate logins.
 */
export function explainSharedLogins(environments: readonly ConfiguredEnvironment[]): string | null {
  const shared = environments.flatMap(({ name, dataSources }) =>
    dataSources
      .filter(({ grantUrl }) => grantUrl === undefined)
      .map(({ heliumDataSourceName }) => `${heliumDataSourceName} (${name})`),
  );
  if (shared.length === 0) return null;
  return (
    `One login does everything in ${shared.join(', ')}. Code of an app, such as a view, a trigger or a function, ` +
    'runs with its rights: the owner of one app can read and change all others, and give away their roles. ' +
    'Set grantUrl to separate them; npm run doctor shows how. See docs/security.md.'
  );
}
