import { explainStatement, getStatement } from '@portal/contract/db-spy';
import { getDevClient, getLatestReleaseVersion } from '@portal/contract/dev-client';
import { examineEnvironment } from '@portal/contract/doctor';
import { importShifts } from '@portal/contract/support-roster';
import { type CallerKind, type CallerOutcome, deriveOutcomes } from '../reference/caller-outcomes.ts';
import { listDeclared } from '../reference/declared-calls.ts';
import type { TestClient } from '../testing/test-client.ts';
import type { TestServer } from '../testing/test-server.ts';
import { isReachable, stagingBase, startWalkWorld } from './rules-walk.fixture.ts';
import { type Planted, plant, scriptService } from './rules-walk-planted.fixture.ts';
import { type Target, targets, toRow, type WalkedCaller, type WalkResponse } from './rules-walk-targets.fixture.ts';

/**
 * What the handlers of admitted callers respond here, if not 200: there is no such statement, no
 * client to download, and no table in the text that is imported.
 */
const admitted: ReadonlyMap<string, number> = new Map([
  ...[getStatement, explainStatement, getDevClient, getLatestReleaseVersion].map((each) => [toRow(each), 404] as const),
  [toRow(importShifts), 400],
]);

const unknownId = '00000000-0000-4000-8000-000000000000';
/** Names nothing that exists. */
const unknown = {
  named: {
    app: unknownId,
    apps: [unknownId],
    schema: 'unknown',
    anySchema: 'unknown',
    grant: '9999',
    integration: 'https://unknown.example.com',
  },
  examples: { appId: unknownId, appIds: unknownId },
};

interface Walked {
  /** The outcomes by row, as documented. */
  readonly outcomes: ReadonlyMap<string, string>;
  /** The rows whose responses have data that is not the caller's. */
  readonly disclosing: readonly string[];
  /** The refusals, with the sentence for what is of others and that for what is unknown. */
  readonly refusals: readonly { readonly row: string; readonly sentences: readonly [string, string] }[];
}

export interface CallersWorld {
  /** Without roles. */
  readonly derived: TestServer;
  /** What is of the team Portal. */
  readonly clinic: Planted;
  /** Walks once as each kind of caller. */
  observe(kind: CallerKind): Promise<Walked>;
  stop(): Promise<void>;
}

/** Starts a portal for two apps of two teams, with something of each kind for both of them. */
export async function startCallersWorld(): Promise<CallersWorld> {
  const walk = await startWalkWorld();
  const { helium } = walk.world;
  const [clinicApp, farmApp] = [helium.app('Clinic Visits'), helium.app('Farm Inputs')];
  const deployments = {
    sourceControlPrefix: 'https://bitbucket.example.com',
    teams: ['Portal', 'Other'].map((name) => ({ name, projects: [{ key: 'WALK', name: 'Walk' }] })),
  };
  const derived = await walk.serve({
    teams: [
      { name: 'Portal', apps: [clinicApp.schemaName] },
      { name: 'Other', apps: [farmApp.schemaName] },
    ],
    deployments,
  });
  const withRoles = await walk.serve({
    databaseUrl: derived.databaseUrl,
    roles: [{ role: 'viewer', users: 'everyone' }],
    deployments,
  });
  const demo = await derived.signIn('demo', 'demo');
  const clinic = await plant(walk, demo, { app: clinicApp, team: 'Portal' });
  const farm = await plant(walk, demo, { app: farmApp, team: 'Other' });
  scriptService(walk, [clinic, farm]);
  const walks = new Map<CallerKind, Promise<Walked>>();
  return {
    derived,
    clinic,
    observe(kind) {
      const walked = walks.get(kind) ?? walkOnce(kind);
      walks.set(kind, walked);
      return walked;
    },
    async stop() {
      await withRoles.stop();
      await derived.stop();
      await walk.stop();
    },
  };

  async function walkOnce(kind: CallerKind): Promise<Walked> {
    const everything = [clinic, farm].flatMap(({ secrets, ofEnvironment }) => [...secrets, ...ofEnvironment]);
    const masked = [clinic.phone, farm.phone];
    switch (kind) {
      case 'anonymous':
        return walkAs(kind, { ...clinic, client: derived.client() }, everything, { isAt: () => true });
      case 'readOnly':
        return walkAs(kind, { ...clinic, client: await derived.signIn('viewer', 'viewer') }, masked);
      case 'viewer':
        return walkAs(kind, { ...clinic, client: await withRoles.signIn('viewer', 'viewer') }, masked);
      case 'otherTeam':
        return walkAs(kind, { ...clinic, client: await derived.signIn('farm.dev', 'farm') }, clinic.secrets);
      case 'otherApp': {
        const client = await derived.signIn('health.dev', 'health');
        return walkAs(kind, nameApp(client, clinic, farm), farm.secrets, { twin: nameApp(client, clinic, unknown) });
      }
      case 'otherEnvironment': {
        const client = await derived.signIn('demo', 'demo', helium.baseUrl);
        // Both environments list the same apps.
        const secrets = [...farm.secrets, ...farm.ofEnvironment].filter((each) => each !== farm.app.name);
        return walkAs(kind, { ...farm, client }, secrets, { isAt: ({ base }) => base !== stagingBase });
      }
    }
  }
}

/** Makes every call at these bases as a caller, and looks for secrets in the responses. */
async function walkAs(
  kind: CallerKind,
  caller: WalkedCaller,
  secrets: readonly string[],
  { isAt = isReachable, twin }: { readonly isAt?: (target: Target) => boolean; readonly twin?: WalkedCaller } = {},
): Promise<Walked> {
  const declared = listDeclared();
  const found = new Map<string, Set<CallerOutcome>>();
  const disclosing = new Set<string>();
  const refusals: Walked['refusals'][number][] = [];
  const visit = async (target: Target) => {
    const { row } = target;
    const response = await target.send(caller);
    const { outcome, text, sent } = response;
    if (twin && outcome !== 'ok')
      refusals.push({ row, sentences: [toSentence(response, caller), toSentence(await target.send(twin), twin)] });
    if (secrets.some((secret) => text.includes(secret) && !sent.includes(secret))) disclosing.add(row);
    const rules = declared.get(row);
    const promised = rules && deriveOutcomes(rules)[kind];
    const isAdmitted = outcome === (admitted.get(row) ?? 'ok') && (promised === 'ok' || promised === 'own');
    found.set(row, (found.get(row) ?? new Set()).add(isAdmitted ? promised : outcome));
  };
  const isSlow = ({ row }: Target) => row === toRow(examineEnvironment);
  const reached = targets.filter(isAt);
  // It watches a log for seconds, and changes nothing.
  const examined = Promise.all(reached.filter(isSlow).map(visit));
  for (const target of reached) if (!isSlow(target)) await visit(target);
  await examined;
  const outcomes = new Map([...found].map(([row, each]) => [row, [...each].join(' or ')]));
  return { outcomes, disclosing: [...disclosing], refusals };
}

/** Names this app, schema, grant and integration, and otherwise what is of the team Portal. */
function nameApp(
  client: TestClient,
  clinic: Planted,
  { named, examples }: Pick<WalkedCaller, 'named' | 'examples'>,
): WalkedCaller {
  const { app, apps, schema, anySchema, grant, integration } = named;
  const { appId, appIds } = examples;
  return {
    client,
    named: { ...clinic.named, ...{ app, apps, schema, anySchema, grant, integration } },
    examples: { ...clinic.examples, ...{ appId, appIds } },
  };
}

/** Returns the response without what the caller named, and without the request's id. */
function toSentence({ outcome, text }: WalkResponse, { named }: WalkedCaller): string {
  const names = [named.app, named.schema, named.grant, named.integration].map(String);
  const rest = text.replace(/"requestId":"[^"]*",?/, '');
  return `${outcome} ${names.reduce((sentence, name) => sentence.replaceAll(name, '…'), rest)}`;
}
