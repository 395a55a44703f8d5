import type { App } from '@portal/contract/apps';
import type { RequestOf } from '@portal/contract/endpoint';
import { maskedPassword } from '@portal/contract/sync/config';
import { revealPassword, type SyncIntegration } from '@portal/contract/sync/integration';
import * as contract from '@portal/contract/sync/objects';
import { syncTexts } from '@portal/contract/sync/texts';
import { Invalid, Problem } from '@portal/kit/problems';
import { Secret } from '@portal/kit/secret';
import { shortenValue } from '@portal/kit/shorten-value';
import { isConfiguredJourney } from '@portal/platforms/journey/base-url';
import { createJourneyClient } from '@portal/platforms/journey/client';
import { recordUnlisted, requireApp } from '../../access/app-access.ts';
import type { Finder, Subjects } from '../../access/subjects.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import type { Caller } from '../../session/caller.ts';
import { listForCaller } from '../../sync-service/caller-integrations.ts';
import { badGateway } from '../../sync-service/sync-problem.ts';
import type { SyncService } from '../../sync-service/sync-service.ts';
import { readHeliumObjects } from './helium-objects.ts';
import { readJourneyObjects } from './journey-objects.ts';

type SyncObjectsRequest = RequestOf<typeof contract.getSyncObjects>;

/** Time limit for each call to Journey. */
const callMs = 10_000;

declare module '../../access/subjects.ts' {
  interface Subjects {
    readonly integration: { readonly integration: SyncIntegration; readonly app: App };
  }
}

/**
 * Finds an integration of one of the caller's apps by its addresses. Throws Invalid if there is
 * none, or several.
 */
export function integrationFinder(syncService: SyncService): Finder<Subjects['integration']> {
  return async (heliumUrl, { caller, action, fields, signal }) => {
    const { journeyUrl, appId } = contract.getSyncObjects.request.parse(fields);
    const all = await listForCaller(syncService, caller, signal);
    const integration = findIntegration(all, { heliumUrl, journeyUrl, appId });
    if (!integration) {
      const reason = 'You have no integration between these addresses.';
      await recordUnlisted(caller, action, { resource: { kind: 'integration', id: heliumUrl }, reason });
      throw new Invalid(reason);
    }
    const app = await requireApp(caller, integration.id, action);
    const resource = { kind: 'app', id: app.id } as const;
    return { value: { integration, app }, resource, resourceName: app.name, apps: [app] };
  };
}

export function syncObjectsRoutes({ syncService, appDatabases }: Dependencies): RoutesOf<typeof contract> {
  async function createClient(
    caller: Caller,
    { id, journeyBaseUrl, journeyUserName }: SyncIntegration,
    request: SyncObjectsRequest,
  ) {
    const userName = request.journeyUsername || journeyUserName;
    const hasPassword =
      request.journeyPassword !== undefined && !['', maskedPassword].includes(request.journeyPassword);
    if (!hasPassword && userName !== journeyUserName)
      throw new Invalid(
        `Send the password of the Journey user ${shortenValue(userName)} too; the stored password belongs to another user.`,
      );
    const password = hasPassword
      ? (request.journeyPassword ?? '')
      : (await syncService.call(caller, revealPassword, { payload: { appId: id } })).password;
    return createJourneyClient({
      baseUrl: journeyBaseUrl,
      userName,
      password: new Secret(password),
      timeoutMs: callMs,
    });
  }

  return {
    getSyncObjects: route(
      contract.getSyncObjects,
      async ({ caller, integration: { app, integration }, input, reply, signal }) => {
        // The deployment may have been removed from the configuration since the integration was
        // saved.
        if (!isConfiguredJourney(integration.journeyBaseUrl, caller.environment))
          throw new Invalid(
            `${integration.journeyBaseUrl} is no longer among the Journey deployments configured for ${caller.environment.name}.`,
          );
        const { schemaName } = app;
        const readHelium = async () =>
          readHeliumObjects(await appDatabases.find(caller.environment, schemaName, signal), schemaName, signal);
        if (input.platform === 'Helium') return readHelium();
        const client = await createClient(caller, integration, input);
        if (input.platform === 'Journey') return readJourneyObjects(client, signal);
        const [helium, journey] = await Promise.all([
          catchProblem(readHelium()),
          catchProblem(readJourneyObjects(client, signal)),
        ]);
        signal.throwIfAborted();
        if (helium instanceof Problem) {
          if (journey instanceof Problem) throw badGateway(helium);
          reply.header(contract.failedSideHeader, 'Helium');
          return journey;
        }
        if (!(journey instanceof Problem)) return contract.compareObjects(helium, journey);
        reply.header(contract.failedSideHeader, 'Journey');
        return helium;
      },
      { problemTitle: syncTexts.title },
    ),
  };
}

/** Returns the problem of a platform that cannot be read. */
async function catchProblem(objects: Promise<contract.SyncObject[]>): Promise<contract.SyncObject[] | Problem> {
  try {
    return await objects;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/**
 * Returns the stored integration with these addresses; requests are only sent to known addresses.
 * Throws Invalid if there are several.
 */
function findIntegration(
  all: readonly SyncIntegration[],
  { heliumUrl, journeyUrl, appId }: Pick<SyncObjectsRequest, 'heliumUrl' | 'journeyUrl' | 'appId'>,
): SyncIntegration | undefined {
  const [found, ...more] = all.filter(
    ({ id, heliumBaseUrl, journeyBaseUrl }) =>
      areSameUrl(heliumBaseUrl, heliumUrl) &&
      areSameUrl(journeyBaseUrl, journeyUrl) &&
      (appId === undefined || id === appId),
  );
  if (more.length > 0) throw new Invalid('Several integrations have these addresses. Send the appId too.');
  return found;
}

/** Compares addresses, ignoring the host's case and a trailing slash. */
function areSameUrl(one: string, other: string): boolean {
  const [a, b] = [one, other].map((url) => (URL.canParse(url) ? new URL(url).href : url).replace(/\/+$/, ''));
  return a === b;
}
