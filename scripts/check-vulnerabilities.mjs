import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runSilently } from './run.mjs';

const elsewhere =
  'To check it, run "npm audit --omit=dev" with a registry that has an audit service, or scan portal.cdx.json with a tool that has its own data, such as osv-scanner, grype or Dependency-Track.';

/**
 * Asks the registry for known vulnerabilities of what is shipped. Returns what was found in words,
 * or why nothing was checked, because many companies' registries have no audit service.
 */
export async function checkVulnerabilities() {
  const args = ['audit', '--json', '--omit=dev', '--fetch-retries=0', '--fetch-timeout=20000', '--loglevel=silent'];
  const { output } = await runSilently('npm', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const report = parse(output);
  const counts = report?.metadata?.vulnerabilities;
  if (counts === undefined)
    return `Not checked against known vulnerabilities: the registry's audit service ${describeFailure(report)}. ${elsewhere}`;
  const date = new Date().toISOString().slice(0, 10);
  const found = Object.entries(counts).filter(([severity, count]) => severity !== 'total' && count > 0);
  const words = found.map(([severity, count]) => `${count} ${severity}`).join(', ') || 'none';
  return `Checked against known vulnerabilities by npm audit on ${date}: ${words}.`;
}

/** Describes how many packages npm ci verifies. */
export function describeIntegrity() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const locked = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  const hashed = locked.filter(([, { integrity }]) => /^sha512-[\w+/]{86}==$/.test(integrity));
  const others = locked.filter((each) => !hashed.includes(each)).map(([path]) => path);
  const rest = others.length > 0 ? ` Without one: ${others.join(', ')}.` : '';
  return `${hashed.length} of ${locked.length} locked packages have a SHA-512 check sum in package-lock.json, which npm ci compares with what it downloads.${rest}`;
}

function parse(output) {
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}

/** Not in npm's words, which contain the address of the registry. */
function describeFailure(report) {
  if (report?.statusCode) return `answered with status ${report.statusCode}`;
  return 'did not answer';
}
