import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkVulnerabilities, describeIntegrity } from './check-vulnerabilities.mjs';
import { CommandError, main, root, runSilently } from './run.mjs';

/** The workspaces that an installation runs. */
const shipped = ['server', 'sync', 'system', 'web'];
const ownScope = '@portal/';

/**
 * `npm run sbom [FOLDER]`: writes `portal.cdx.json`, a CycloneDX list of everything that is
 * shipped, and `licenses.csv`, the licenses of what others wrote. The list says how it was checked
 * for known vulnerabilities.
 */
await main(async () => {
  const folder = resolve(process.env.INIT_CWD ?? root, process.argv[2] ?? 'dist');
  const all = await listEverything();
  const dependsOn = new Map(all.dependencies.map((each) => [each.ref, each.dependsOn]));
  const refs = findShipped(dependsOn);
  const components = all.components.filter((component) => refs.has(component['bom-ref']));
  const { component } = all.metadata;
  const vulnerabilities = await checkVulnerabilities();
  const integrity = describeIntegrity();
  const sbom = {
    ...all,
    // npm names the folder, which differs between checkouts.
    metadata: {
      ...all.metadata,
      component: { ...component, name: 'portal' },
      properties: [
        ...(all.metadata.properties ?? []),
        { name: 'portal:vulnerabilities', value: vulnerabilities },
        { name: 'portal:integrity', value: integrity },
      ],
    },
    components,
    dependencies: [
      { ref: component['bom-ref'], dependsOn: getOwn(dependsOn, shipped) },
      ...[...refs].map(([ref, dependencies]) => ({ ref, dependsOn: dependencies })),
    ],
  };
  const others = components.filter((each) => !each['bom-ref'].startsWith(ownScope));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'portal.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`);
  writeFileSync(join(folder, 'licenses.csv'), toLicenses(others));
  console.log(`Wrote portal.cdx.json and licenses.csv, ${others.length} packages, to ${folder}.`);
  console.log(vulnerabilities);
  console.log(integrity);
});

async function listEverything() {
  // npm prints warnings to stderr, which would be mixed into the JSON.
  const options = { stdio: ['ignore', 'pipe', 'inherit'] };
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--loglevel', 'error'];
  const { code, output } = await runSilently('npm', args, options);
  if (code !== 0) throw new CommandError('npm could not list the dependencies. Run npm ci, and try again.');
  return JSON.parse(output);
}

/**
 * Returns the shipped packages with those that they depend on. `npm sbom --omit dev` would leave
 * out each package that a tool depends on, too.
 */
function findShipped(dependsOn) {
  const found = new Map();
  const waiting = getOwn(dependsOn, shipped);
  for (let ref = waiting.pop(); ref !== undefined; ref = waiting.pop()) {
    if (found.has(ref)) continue;
    const all = dependsOn.get(ref) ?? [];
    const dependencies = ref.startsWith(ownScope) ? withoutTools(ref, all) : all;
    found.set(ref, dependencies);
    waiting.push(...dependencies);
  }
  return found;
}

function getOwn(dependsOn, workspaces) {
  return [...dependsOn.keys()].filter((ref) => workspaces.some((name) => ref.startsWith(`${ownScope}${name}@`)));
}

function withoutTools(ref, dependencies) {
  const workspace = getName(ref).slice(ownScope.length);
  const manifest = JSON.parse(readFileSync(join(root, workspace, 'package.json'), 'utf8'));
  const names = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  return dependencies.filter((dependency) => names.includes(getName(dependency)));
}

/** '@scope/name@1.2.3' → '@scope/name' */
function getName(ref) {
  return ref.slice(0, ref.lastIndexOf('@'));
}

function toLicenses(components) {
  const lines = components.map(({ name, version, licenses = [] }) => {
    const names = licenses.map(({ license, expression }) => expression ?? license.id ?? license.name);
    return [name, version, names.join(' and ') || 'unknown'].join(',');
  });
  return `${['package,version,license', ...[...new Set(lines)].sort()].join('\n')}\n`;
}
