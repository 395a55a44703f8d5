import type { Endpoint, RequestOf, ResponseOf } from '@portal/contract/endpoint';
import { getActivity, listActivity, listedHours } from '@portal/contract/sync-activity';
import { type ConfigProblem, getTemplate, getTemplateEnrollment, testConnection } from '@portal/contract/sync-config';
import { getConflictFile, getConflicts, restoreConflictFile, reviewConflicts } from '@portal/contract/sync-conflicts';
import { auditDrift, getDrift } from '@portal/contract/sync-drift';
import { getEnrollment, removeUnlisted, retryEnrollment } from '@portal/contract/sync-enrollment-status';
import { findRecords, lookAgain } from '@portal/contract/sync-find';
import {
  getIntegration,
  getStatusHistory,
  listIntegrations,
  moveCursor,
  revealPassword,
  setEnabled,
  tryNow,
} from '@portal/contract/sync-integration';
import {
  getHeldRecords,
  getWaitingFiles,
  retryFiles,
  retryHeld,
  skipFiles,
  skipHeld,
} from '@portal/contract/sync-records';
import { answerRecovery as answerEndpoint, getRecovery } from '@portal/contract/sync-recovery';
import { getWebhooks, saveWebhookSecrets } from '@portal/contract/sync-webhooks';
import { readPayload } from '@portal/edge/read-payload';
import { Conflict, NotFound, Problem } from '@portal/kit/problems';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import type { StoredIntegration } from '../integration/integration.ts';
import type { ConflictReview, HeldSelection, OperatorActions } from '../integration/operator-actions.ts';
import { listActivities, readActivity } from '../portal-store/activity.store.ts';
import { saveStoppedFigures, saveVersionFigure } from '../portal-store/figures.store.ts';
import {
  findIntegration,
  listIntegrations as listStored,
  readIntegration,
} from '../portal-store/integrations.store.ts';
import { requestAttempt } from '../portal-store/leases.store.ts';
import { findLines } from '../portal-store/log.store.ts';
import { applyStatusEvent, readStatusHistory, setDesiredStatus } from '../portal-store/status.store.ts';
import { wakeRun } from '../portal-store/wake-ups.store.ts';
import { requireEnvironment, type ServiceParts } from '../setup/service-parts.ts';
import type { Leases } from '../supervisor/leases.ts';
import { answerRecovery } from './answer-recovery.ts';
import type { Caller } from './caller.ts';
import { checkConfig } from './check-config.ts';
import { requireIntegration } from './delete-integration.ts';
import { toConfigResponse, toIntegrationResponse } from './integration-response.ts';
import { InvalidFields } from './invalid-fields.ts';
import { limitConnectionTest } from './limit-connection-test.ts';
import { type Call, route } from './route.ts';
import { toConnectionTarget } from './save-integration.ts';
import { createEnrollmentTemplate, createTemplate } from './template.ts';
import { readWebhooks } from './webhooks.ts';

export type ApiParts = ServiceParts & { readonly operations: OperatorActions; readonly leases: Leases };

/**
 * What the server adds to a body: the app as the caller sees it, and the data source that holds its
 * schema.
 */
export const appFactsSchema = z.object({
  id: z.string().check(z.minLength(1)),
  name: z.string(),
  schemaName: z.string(),
});
const appBodySchema = z.object({ app: appFactsSchema });
const sourceBodySchema = z.object({ app: appFactsSchema, dataSource: z.nullable(z.string()) });

const pageLimit = 100;
const linesPerRecord = 20;

/** Registers every endpoint of the contract's `syncEndpoints`. */
export function syncRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { pool, config, operations, leases, logWriter, passwords } = parts;

  /** Serves a call about the integration of one app. */
  const routeTo = <E extends Endpoint>(
    endpoint: E,
    handler: (integration: StoredIntegration, call: Call<E>) => Promise<ResponseOf<E>>,
  ) => route(app, endpoint, async (call) => handler(await requireIntegration(parts, call.caller, call.appId), call));

  /** Logs what an operator did, and lets the run see it. */
  const logAndWake = async (integration: StoredIntegration, text: string, level: 'INFO' | 'WARNING' = 'INFO') => {
    const { id, status } = integration;
    logWriter.write(id, level, text);
    await wakeRun(pool, id);
    // A run counts on its own.
    if (status !== 'Enabled') await saveStoppedFigures(pool, id, await operations.readCounts(integration));
  };

  route(app, listIntegrations, async ({ caller, input }) => {
    requireSameEnvironment(caller, input.environment);
    const nowMs = Date.now();
    return (await listStored(pool, caller.environment)).map((integration) => toIntegrationResponse(integration, nowMs));
  });

  routeTo(getIntegration, async (integration) => ({
    integration: toIntegrationResponse(integration, Date.now()),
    config: toConfigResponse(integration),
  }));

  route(app, getTemplate, async ({ caller, input, request }) => {
    requireSameEnvironment(caller, input.environment);
    const environment = requireEnvironment(config, caller.environment);
    if (!environment.dataSources.some(({ heliumDataSourceName: name }) => name === input.dataSource))
      throw new InvalidFields([{ field: 'dataSource', reason: `is not one of ${environment.name}` }]);
    return createTemplate(parseApp(request, input.uuid), environment, input.journeyUserMode);
  });

  route(app, getTemplateEnrollment, async ({ caller, input }) => {
    requireSameEnvironment(caller, input.environment);
    return createEnrollmentTemplate(input.journeyUserMode);
  });

  route(app, testConnection, async ({ caller, input, request, signal }) => {
    const environment = requireEnvironment(config, caller.environment);
    const { app: facts, dataSource } = readPayload(sourceBodySchema, request.body);
    const stored = await findIntegration(pool, caller.environment, facts.id);
    const saveRequest = { caller, app: facts, dataSource, config: input.config };
    const checked = checkConfig({ ...saveRequest, environment, stored });
    if (!('config' in checked)) return toUntestedResult(checked.problems);
    return limitConnectionTest(
      await operations.testConnection(await toConnectionTarget(parts, saveRequest, checked, stored), signal),
    );
  });

  routeTo(revealPassword, async (integration) => ({ password: (await passwords.read(integration)).reveal() }));

  route(app, setEnabled, async ({ caller, input }) => {
    const results: ResponseOf<typeof setEnabled> = [];
    // Find all integrations before changing any.
    const integrations = await Promise.all(
      [...new Set(input.appIds)].map((appId) => requireIntegration(parts, caller, appId)),
    );
    for (const integration of integrations) {
      const { id, appId, status } = integration;
      const refusal = input.enabled ? await findOpenQuestion(operations, integration) : null;
      if (refusal !== null) {
        results.push({ appId, status, message: refusal });
        continue;
      }
      const event = input.enabled ? 'enable' : 'disable';
      const transition = await setDesiredStatus(pool, { id, event, by: caller.user });
      if (!transition || transition.to === 'Deleted')
        throw new NotFound(`The integration for ${appId} no longer exists.`);
      logWriter.write(id, 'INFO', `${input.enabled ? 'Enabled' : 'Disabled'} by ${caller.user}.`);
      results.push({ appId, status: transition.to, message: transition.message });
    }
    return results;
  });

  routeTo(getHeldRecords, (integration, { input: { after, limit = pageLimit, state } }) =>
    operations.readHeld(integration, { after, limit, state }),
  );

  routeTo(getConflicts, (integration, { input: { after, limit = pageLimit, reviewed, table, column } }) => {
    const isReviewed = reviewed && reviewed === 'yes';
    const field = table === undefined ? undefined : { table, column: column || null };
    return operations.readConflicts(integration, { after, limit, isReviewed, field });
  });

  routeTo(reviewConflicts, async (integration, { caller, input }) => {
    const result = await operations.reviewConflicts(integration, { ...toReview(input), by: caller.user });
    await logAndWake(integration, `${caller.user} reviewed conflicts: ${result.reviewed}.`);
    return result;
  });

  routeTo(getConflictFile, async (integration, { input, reply }) => {
    const { fileName, size, bytes } = await operations.readConflictFile(integration, input.no);
    reply.header('content-length', size).header('x-file-name', encodeURIComponent(fileName));
    return bytes;
  });

  routeTo(restoreConflictFile, async (integration, { caller, input }) => {
    const { table, id, column } = await operations.restoreConflictFile(integration, input.no);
    await logAndWake(integration, `${caller.user} restored the file ${column} of ${table}/${id}.`);
    return { message: `The file is in ${column} of ${table} ${id} again. Sync treats it as an edit in Helium.` };
  });

  routeTo(getWaitingFiles, (integration, { input: { after, limit = pageLimit } }) =>
    operations.readWaitingFiles(integration, { after, limit }),
  );

  routeTo(retryFiles, async (integration, { caller, input }) => {
    const files = await operations.retryFiles(integration, input.nos ?? null);
    await logAndWake(integration, `${caller.user} retried files: ${files}.`);
    return { files };
  });

  routeTo(skipFiles, async (integration, { caller, input }) => {
    const files = await operations.skipFiles(integration, input.nos);
    await logAndWake(integration, `${caller.user} skipped files: ${files}.`);
    return { files };
  });

  routeTo(retryHeld, async (integration, { caller, input }) => {
    const records = await operations.retry(integration, toSelection(input));
    await logAndWake(integration, `${caller.user} retried held records: ${records}.`);
    return { records };
  });

  routeTo(skipHeld, async (integration, { caller, input }) => {
    const records = await operations.skip(integration, toSelection(input));
    await logAndWake(integration, `${caller.user} skipped held records: ${records}.`);
    return { records };
  });

  routeTo(findRecords, async (integration, { input: { appId: _, ...search }, signal }) => {
    const journeyPassword = await passwords.read(integration);
    const found = await operations.findRecords(integration, { ...search, journeyPassword }, signal);
    const records: ResponseOf<typeof findRecords>['records'] = [];
    for (const record of found.records) {
      const lines = await findLines(pool, integration.id, record.id, linesPerRecord);
      records.push({
        ...record,
        lines: lines.map(({ millis, key, value }) => ({ at: new Date(millis).toISOString(), level: key, text: value })),
      });
    }
    return { ...found, records, isLoggingIds: integration.config.logRecordIds ?? false };
  });

  routeTo(lookAgain, async (integration, { input }) => {
    await operations.requestLookAgain(integration, input.records);
    await wakeRun(pool, integration.id);
    const when = integration.status === 'Enabled' ? '' : ' when the integration is enabled';
    return { message: `The record is read again on both sides${when}.` };
  });

  routeTo(tryNow, async ({ id, appId, status }, { caller }) => {
    if (status !== 'Enabled')
      throw new Conflict(`The integration for ${appId} is ${status.toLowerCase()}. Enable it to try again.`);
    logWriter.write(id, 'INFO', `${caller.user} requested the next attempt now.`);
    await requestAttempt(pool, id);
    return { message: 'The next attempt starts within a second.' };
  });

  routeTo(getWebhooks, (integration) => readWebhooks(parts, integration));

  routeTo(saveWebhookSecrets, async (integration, { caller, input: { secrets } }) => {
    await parts.webhooks.saveSecrets(integration, secrets);
    const done = secrets.length === 0 ? 'removed' : 'replaced';
    logWriter.write(integration.id, 'INFO', `${caller.user} ${done} the secrets of the webhooks.`);
    return readWebhooks(parts, integration);
  });

  routeTo(getStatusHistory, ({ id }) => readStatusHistory(pool, id));

  routeTo(moveCursor, async (integration, { caller, input: { direction, version }, signal }) => {
    const { id, appId } = integration;
    const to = { direction, version, journeyPassword: await passwords.read(integration) };
    const problem = version === '0' ? null : await operations.findVersionProblem(integration, to, signal);
    if (problem !== null) throw new InvalidFields([{ field: 'version', reason: problem }]);
    const name = direction === 'helium-to-journey' ? 'changeLogVersion' : 'oplogVersion';
    const moved = await leases.withExclusiveLease(id, async (fence) => {
      await operations.moveCursor(integration, { fence, direction, version });
      await saveVersionFigure(pool, id, { name, version });
      logWriter.write(id, 'WARNING', `${caller.user} resumed ${direction} from version ${version}.`);
      const reason = `${direction} resumed from ${version}`;
      await applyStatusEvent(pool, { id, event: 'cursor-moved', by: caller.user, reason });
      return readIntegration(pool, id);
    });
    if (!moved) throw new NotFound(`The integration for ${appId} no longer exists.`);
    // As requested: from a smaller version, the next run reads everything and keeps its own.
    return { ...toIntegrationResponse(moved, Date.now()), [name]: version };
  });

  routeTo(getEnrollment, (integration) => operations.readEnrollment(integration));

  routeTo(retryEnrollment, async (integration, { caller, input }) => {
    const retried = await operations.retryEnrollment(integration, input.subjects ?? null);
    await logAndWake(integration, `${caller.user} retried enrollment: ${retried}.`);
    return { retried };
  });

  routeTo(removeUnlisted, async (integration, { caller, input: { subject } }) => {
    const removed = await operations.removeUnlisted(integration, subject);
    if (removed === 0) throw new Conflict(`No removal of ${subject} waits any more. Reload the list.`);
    await logAndWake(integration, `${caller.user} consented to remove ${removed} ${subject}.`, 'WARNING');
    return { message: `Up to ${removed} ${subject} will be removed now, if Journey still does not list them.` };
  });

  routeTo(getDrift, (integration) => operations.readDrift(integration));

  routeTo(getActivity, ({ id }, { input: { span } }) => readActivity(pool, id, span, Date.now()));

  route(app, listActivity, async ({ caller }) => {
    const times = { hours: listedHours, nowMs: Date.now() };
    const { from, byApp } = await listActivities(pool, caller.environment, times);
    return { from, integrations: [...byApp].map(([appId, intervals]) => ({ appId, intervals })) };
  });

  routeTo(auditDrift, async (integration, { caller }) => {
    await operations.requestComparison(integration);
    await logAndWake(integration, `${caller.user} requested a comparison of both sides.`);
    return {
      message:
        integration.status === 'Enabled'
          ? 'Both sides are being compared; the log shows what is found.'
          : 'Both sides will be compared when the integration is enabled.',
    };
  });

  routeTo(getRecovery, async (integration) => ({ question: await operations.readQuestion(integration) }));

  route(app, answerEndpoint, async ({ caller, input }) =>
    toIntegrationResponse(await answerRecovery(parts, caller, input), Date.now()),
  );
}

function requireSameEnvironment({ environment }: Caller, requested: string | undefined): void {
  if (requested !== undefined && requested !== environment)
    throw new InvalidFields([{ field: 'environment', reason: `is not ${environment}` }]);
}

function parseApp({ body }: FastifyRequest, uuid: string) {
  const { app } = readPayload(appBodySchema, body);
  if (app.id !== uuid) throw new InvalidFields([{ field: 'uuid', reason: `is not the app ${app.id}` }]);
  return app;
}

function toReview({ take, value, nos, field, after }: RequestOf<typeof reviewConflicts>): Omit<ConflictReview, 'by'> {
  if (take === 'value' && nos?.length !== 1)
    throw new InvalidFields([{ field: 'value', reason: 'a value is written into one record only' }]);
  const what = { take, value: value ?? null };
  if (nos !== undefined && field === undefined) return { ...what, selection: { numbers: nos } };
  if (field !== undefined && nos === undefined) return { ...what, selection: { field, after: after ?? null } };
  throw new InvalidFields([{ field: 'nos', reason: 'either conflict numbers or a field is required' }]);
}

function toSelection({ nos, kind }: RequestOf<typeof retryHeld | typeof skipHeld>): HeldSelection {
  if (nos !== undefined && kind === undefined) return { numbers: nos };
  if (kind !== undefined && nos === undefined) return { kind };
  throw new InvalidFields([{ field: 'nos', reason: 'either record numbers or a kind is required' }]);
}

function toUntestedResult(problems: readonly ConfigProblem[]): ResponseOf<typeof testConnection> {
  const side = { reached: false, message: 'Not tested: the configuration has errors.' };
  return limitConnectionTest({ helium: side, journey: side, problems: [...problems], notes: [] });
}

/** Returns why an integration would halt again at once; null when it may be enabled. */
async function findOpenQuestion(operations: OperatorActions, integration: StoredIntegration): Promise<string | null> {
  if (integration.status === 'Enabled' || !integration.figures.needsDecision) return null;
  try {
    const question = await operations.readQuestion(integration);
    return question && 'It needs a decision first. Open the integration and choose an answer, which also enables it.';
  } catch (error) {
    // Other integrations of the same call do not wait for this one's data source.
    if (error instanceof Problem) return error.message;
    throw error;
  }
}
