/**
 * The project workspaces that each workspace may import. Hoisting makes every workspace resolvable
 * everywhere, so this check enforces the boundaries.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  web: ['contract'],
  server: ['contract', 'edge', 'kit', 'platforms'],
  sync: ['contract', 'edge', 'kit', 'platforms'],
  edge: ['contract', 'kit'],
  platforms: ['kit'],
  simulators: ['kit', 'platforms'],
  kit: [],
  e2e: ['contract', 'kit', 'platforms', 'simulators', 'server', 'sync', 'system'],
  bench: ['contract', 'e2e', 'kit', 'platforms', 'simulators', 'server', 'sync', 'system'],
  system: ['contract', 'kit', 'simulators', 'server'],
  scripts: ['kit', 'system', 'sync'],
};

/**
 * The floors of each workspace, from the bottom up. A folder is named relative to `src`, a file
 * with its extension. A file may import from lower floors and from its own folder, but not from
 * other folders on its floor. The most specific name applies.
 */
const floors: Readonly<Record<string, readonly (readonly string[])[]>> = {
  server: [
    ['client-network.ts', 'expiring-cache.ts', 'fair-slots.ts', 'hash-parts.ts'],
    [
      'database',
      // The configuration is composed of these parts.
      'features/deployments/deployments.config.ts',
      'features/dev-client/dev-client.config.ts',
      'features/support-roster/support-roster.config.ts',
      'features/sync/sync.config.ts',
    ],
    ['config.ts'],
    ['audit', 'doctor', 'platform'],
    ['session'],
    ['access', 'app-checks'],
    ['reference'],
    ['http'],
    ['sync-service'],
    ['dependencies.ts'],
    ['features'],
    ['app.ts'],
    ['main.ts'],
  ],
  sync: [
    ['integration', 'record'],
    ['portal-store', 'mapping'],
    ['setup', 'supervisor', 'helium', 'journey'],
    ['api', 'sync-state', 'enrollment'],
    ['operations', 'engine/state'],
    ['engine/run/pace'],
    ['engine/run/active-run.ts'],
    ['engine/restore/notice', 'engine/run/report'],
    ['engine/missing'],
    ['engine/to-helium/merger/merged-entry.ts', 'engine/to-journey/planner/merge-found.ts'],
    ['engine/files/book'],
    ['engine/to-journey', 'engine/to-helium', 'engine/compare', 'start-service.ts'],
    ['engine/files'],
    ['engine/restore'],
    ['engine/run'],
    ['create-engine.ts'],
    ['main.ts'],
  ],
  platforms: [
    [
      'connection-failure.ts',
      'follow-redirects.ts',
      'null-text.ts',
      'outgoing',
      'reachability.ts',
      'second-readers.fixture.ts',
      'shared-logins.ts',
      'sync-token.ts',
    ],
    ['helium', 'helium-database', 'journey', 'projects', 'releases', 'roster'],
    ['doctor', 'installation.config.ts'],
  ],
  simulators: [['kit'], ['helium', 'projects', 'releases', 'roster'], ['journey']],
  web: [
    ['format', 'state', 'theme'],
    ['api'],
    ['ui'],
    ['ui/table', 'session'],
    ['apps', 'sync', 'logs/text'],
    ['logs/stream'],
    ['logs/search'],
    ['logs/view'],
    ['shell'],
    ['features'],
    ['routes'],
    ['signed-in.tsx'],
    ['app.tsx'],
    ['main.tsx'],
  ],
};

/** Folders that must stay reusable in another product: no imports from the contract. */
const withoutContract = ['web/src/ui/'];

/** Workspaces that run in browsers: no Node modules. */
const withoutNode = ['contract', 'web'];

const vague = /^(utils?|helpers?|common|managers?|index)$/;
const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const knownSuffixes = ['test', 'property', 'fixture', 'failures', 'routes', 'store', 'types', 'socket', 'config', 'd'];

export interface Project {
  /** Source text by path relative to the project's folder, with `/` as separator. */
  readonly files: ReadonlyMap<string, string>;
  /** Names of the packages that each workspace declares; `scripts` stands for the project root. */
  readonly declared: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Returns every violation of the layout, one sentence each, starting with the file's path. */
export function findBreaches(project: Project): string[] {
  return [...project.files].flatMap(([path, text]) =>
    [
      ...breachesOfName(path),
      ...breachesOfQueries(path, text),
      ...breachesOfWidth(text),
      ...importsIn(text).flatMap((specifier) => breachesOfImport(path, specifier, project)),
    ].map((breach) => `${path}: ${breach}`),
  );
}

/** An object with the name and the text of a prepared statement. */
const namedStatement = /\{\s*name(?:: (?!'')[^,;{}]+)?,\s*(?:text|values)\b|\{\s*text:[^;{}]+,\s*name:/;

function breachesOfQueries(path: string, text: string): string[] {
  const isAllowed =
    path === 'kit/src/postgres/named-query.ts' ||
    isBesideTheCode(path) ||
    !/^(kit|platforms|simulators|server|sync)\/src\//.test(path);
  return !isAllowed && /\bquery\b/.test(text) && namedStatement.test(text)
    ? ['a prepared statement gets its name from namedQuery, because names do not work behind poolers']
    : [];
}

const maxCommentWidth = 100;

/** Tables and pictures, which have wide gaps, may be wider. */
function breachesOfWidth(text: string): string[] {
  return text.split('\n').flatMap((line, at) => {
    const [, comment = '  '] = /^ *(?:\/\/|\/?\*\*?) (.*)$/.exec(line) ?? [];
    return line.length > maxCommentWidth && !comment.includes('  ')
      ? [`line ${at + 1} is a comment of ${line.length} columns; ${maxCommentWidth} are allowed`]
      : [];
  });
}

function breachesOfName(path: string): string[] {
  const breaches: string[] = [];
  const parts = path.split('/');
  const [name = '', ...suffixes] = (parts.pop() ?? '').replace(/\.[a-z]+$/, '').split('.');
  for (const part of [...parts, name]) {
    if (vague.test(part)) breaches.push(`"${part}" is too vague; name the file after its content`);
    if (!kebab.test(part)) breaches.push(`"${part}" is not kebab-case`);
  }
  for (const suffix of suffixes) {
    if (!knownSuffixes.includes(suffix)) breaches.push(`".${suffix}" is not an allowed suffix`);
  }
  return breaches;
}

/**
 * Matches statements at the start of a line, or at the end of a multi-line list of names, and
 * dynamic imports elsewhere. Quoted code matches neither.
 */
const imports = [
  /^(?:import|export|\})[^'"\n]*\bfrom\s*['"]([^'"\n]+)['"]/gm,
  /^import\s*['"]([^'"\n]+)['"]/gm,
  /\bimport\(\s*['"]([^'"\n]+)['"]/g,
];

function importsIn(text: string): string[] {
  return imports.flatMap((pattern) => [...text.matchAll(pattern)]).flatMap(([, specifier]) => specifier ?? []);
}

function breachesOfImport(path: string, specifier: string, project: Project): string[] {
  const workspace = workspaceOf(path);
  if (specifier.startsWith('.')) return breachesOfRelative(path, resolve(path, specifier));
  if (specifier.startsWith('node:')) {
    return withoutNode.includes(workspace) && !isBesideTheCode(path)
      ? [`${workspace} runs in browsers and must not import ${specifier}`]
      : [];
  }
  const [scope = '', name = ''] = specifier.split('/');
  if (scope === '@portal') {
    const folder = withoutContract.find((start) => path.startsWith(start));
    if (folder && name === 'contract') return [`${folder} must not import contract (${specifier})`];
    if (name === workspace || mayImport[workspace]?.includes(name)) return [];
    if (name === 'simulators' && isTestCode(path)) return [];
    return [`${workspace} must not import ${name} (${specifier})`];
  }
  const packageName = scope.startsWith('@') ? `${scope}/${name}` : scope;
  const isDeclared = [workspace, 'scripts'].some((place) => project.declared.get(place)?.has(packageName));
  return isDeclared ? [] : [`${packageName} is not declared in ${workspace}/package.json`];
}

function breachesOfRelative(path: string, target: string): string[] {
  const [from, to] = [workspaceOf(path), workspaceOf(target)];
  if (from !== to) return [`reaches out of ${from} by a relative path to ${target}`];
  const [feature, other] = [featureOf(path), featureOf(target)];
  if (feature && other && feature !== other) return [`feature ${feature} must not import feature ${other} (${target})`];
  return breachesOfFloors(path, target);
}

/** Tests and fixtures may import from anywhere in their workspace. */
function breachesOfFloors(path: string, target: string): string[] {
  if (isTestCode(path)) return [];
  const [from, to] = [placeOf(path), placeOf(target)];
  if (!from)
    return floors[workspaceOf(path)] ? ['is on no floor of its workspace; add its folder to scripts/layout.ts'] : [];
  if (!to || from.name === to.name || to.floor < from.floor) return [];
  return [`${from.name} must not import ${to.name}, which is not below it (${target})`];
}

function placeOf(path: string): { readonly name: string; readonly floor: number } | undefined {
  const inside = path.replace(/^\w+\/src\//, '');
  const places = (floors[workspaceOf(path)] ?? []).flatMap((names, floor) => names.map((name) => ({ name, floor })));
  return places
    .filter(({ name }) => inside === name || inside.startsWith(`${name}/`))
    .sort((a, b) => b.name.length - a.name.length)[0];
}

function isTestCode(path: string): boolean {
  return /\.(test|fixture)\.tsx?$/.test(path) || path.includes('/testing/');
}

/** Tests and build configuration run in Node, in every workspace. */
function isBesideTheCode(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || !path.includes('/src/');
}

function workspaceOf(path: string): string {
  const top = path.split('/')[0] ?? '';
  return top in mayImport ? top : 'scripts';
}

function featureOf(path: string): string | undefined {
  return path.match(/^\w+\/src\/features\/([^/]+)\//)?.[1];
}

function resolve(path: string, specifier: string): string {
  const parts = path.split('/').slice(0, -1);
  for (const step of specifier.split('/')) {
    if (step === '..') parts.pop();
    else if (step !== '.') parts.push(step);
  }
  return parts.join('/');
}
