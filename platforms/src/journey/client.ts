/** The client for all calls to a Journey deployment. */
import { fetchAttachment, type JourneyFile } from './attachment.ts';
import { type JourneyCredentials, toAuthorization } from './authorization.ts';
import { normalizeJourneyBaseUrl } from './base-url.ts';
import { probeBatch, runBatch } from './batch.ts';
import type { JourneyOperationResult } from './batch-wire.ts';
import {
  callJourney,
  type JourneyAddress,
  type JourneyCall,
  type OnCall,
  probeHost,
  type SendRequest,
  sendRequest,
} from './call.ts';
import { callForJson } from './call-for-json.ts';
import { type JourneyDataModelOptions, type JourneyDataModelResult, readDataModel } from './data-model.ts';
import type { FileType } from './file-content.ts';
import { createFileHosts, type FileHosts } from './file-hosts.ts';
import {
  type JourneyListOptions,
  type JourneyPageAfter,
  type JourneySearch,
  listObjects,
  listObjectsAfter,
  listObjectsByIds,
  searchObjects,
} from './list-objects.ts';
import { type JourneyOpLogOptions, readOpLog, readOpLogTail } from './op-log.ts';
import { journeyPaths } from './paths.ts';
import { createSilenceWatch, type SilenceTiming } from './silent-calls.ts';
import { JourneyAuthenticationToken, JourneySuccess, JourneyUser, JourneyUserList } from './user-wire.ts';
import {
  JourneyCount,
  type JourneyFields,
  JourneyInfo,
  type JourneyObject,
  type JourneyObjectList,
  type JourneyOperation,
  type JourneyOpLogPage,
  journeyObject,
} from './wire.ts';

export type JourneyClientOptions = JourneyCredentials & {
  /** With or without a trailing slash; without the deployment's id if there is a user name. */
  readonly baseUrl: string;
  /**
   * The limit for each call's whole response; of a file, for the time between two bytes. Default:
   * 30 s.
   */
  readonly timeoutMs?: number;
  /** Default: 48 MiB; an attachment can have 25 MB. */
  readonly maxResponseBytes?: number;
  /**
   * The hosts besides Journey's own that files are downloaded from, and the internal addresses they
   * may have; see `file-hosts.ts`. Default: none.
   */
  readonly fileHosts?: readonly string[];
  readonly request?: SendRequest;
  readonly onCall?: OnCall;
  readonly silence?: SilenceTiming;
};

interface JourneyCallOptions {
  /** Aborts the call with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

interface JourneyPage extends JourneyCallOptions {
  readonly limit?: number;
  readonly skip?: number;
}

/**
 * Each call throws a `JourneyProblem`; decide by its `failure.kind`. The client neither retries nor
 * waits; see `journey-rate-limiter.ts`. Every write is idempotent.
 */
export interface JourneyClient {
  /** Ends with the deployment's id and a slash. */
  readonly baseUrl: string;
  /** The cheapest call to verify credentials. */
  info(options?: JourneyCallOptions): Promise<JourneyInfo>;
  /** Returns `unchanged` when the model still has this `etag`. */
  dataModel(options?: JourneyDataModelOptions): Promise<JourneyDataModelResult | 'unchanged'>;

  list(model: string, options?: JourneyListOptions): Promise<JourneyObjectList>;
  /**
   * Returns the objects with higher ids, ordered by id; from the start when `lastId` is undefined.
   * At most 1000.
   */
  listAfter(
    model: string,
    lastId: string | undefined,
    limit: number,
    options?: JourneyCallOptions,
  ): Promise<JourneyPageAfter>;
  /**
   * Returns those of these objects that exist, ordered by id. With `hasMore`, the ids behind the
   * last one were not looked up. At most 1000.
   */
  listByIds(model: string, ids: readonly string[], options?: JourneyCallOptions): Promise<JourneyPageAfter>;
  /** Returns the first objects that match an expression, ordered by id. */
  search(model: string, search: JourneySearch, options?: JourneyCallOptions): Promise<JourneyPageAfter>;
  count(model: string, options?: JourneyCallOptions): Promise<number>;
  get(model: string, id: string, options?: JourneyCallOptions): Promise<JourneyObject>;
  /** Replaces or creates an object; omitted fields are cleared. */
  put(model: string, id: string, fields: JourneyFields, options?: JourneyCallOptions): Promise<JourneyObject>;
  /** Sets the given fields. */
  patch(model: string, id: string, fields: JourneyFields, options?: JourneyCallOptions): Promise<JourneyObject>;
  /** Throws `not-found` when the object does not exist. */
  remove(model: string, id: string, options?: JourneyCallOptions): Promise<void>;
  /**
   * Runs at most 1000 operations in order. Operations are independent: the next ones run even if
   * one fails. Returns one result per operation, in the same order.
   */
  batch(
    operations: readonly JourneyOperation[],
    options?: JourneyCallOptions,
  ): Promise<readonly JourneyOperationResult[]>;

  /**
   * Sends a batch without operations. Throws when something else than Journey answers writes, or
   * nothing does.
   */
  probeBatch(options?: JourneyCallOptions): Promise<void>;

  /**
   * Returns entries from the sequence `start` on. Default limit: 400; maximum: 1000. Journey allows
   * one call per second.
   */
  opLog(page: JourneyOpLogOptions): Promise<JourneyOpLogPage>;
  /** Returns the most recent entries in one page. */
  opLogTail(limit: number, options?: JourneyCallOptions): Promise<JourneyOpLogPage>;

  users(options?: JourneyPage): Promise<JourneyUserList>;
  user(userId: string, options?: JourneyCallOptions): Promise<JourneyUser>;
  lockUser(userId: string, options?: JourneyCallOptions): Promise<void>;
  unlockUser(userId: string, options?: JourneyCallOptions): Promise<void>;
  /** Returns a new token each time. */
  authenticationToken(userId: string, options?: JourneyCallOptions): Promise<JourneyAuthenticationToken>;
  /** Ends the session and deletes the device's data. */
  wipe(userId: string, sessionId: string, options?: JourneyCallOptions): Promise<void>;
  reAuthenticate(userId: string, sessionId: string, options?: JourneyCallOptions): Promise<void>;
  /**
   * For deployments with one device per user. The user cannot use the app until the new code is
   * scanned.
   */
  reEnroll(userModel: string, userId: string, options?: JourneyCallOptions): Promise<void>;

  /**
   * Downloads the file at an address from an object of this deployment. Returns only a complete
   * file that a field of this type can hold. A failure (`file-failed`, `not-found`, `too-large`, or
   * `invalid-request` for a host that is not listed) concerns only this file.
   */
  attachment(url: string, type: FileType, options?: JourneyCallOptions): Promise<JourneyFile>;
}

/** Throws Invalid for an invalid address or invalid credentials. */
export function createJourneyClient(options: JourneyClientOptions): JourneyClient {
  const host = {
    baseUrl: normalizeJourneyBaseUrl(options.baseUrl, 'userName' in options ? options.userName : undefined),
    authorization: toAuthorization(options),
  };
  const address: JourneyAddress = {
    ...host,
    timeoutMs: options.timeoutMs ?? 30_000,
    maxResponseBytes: options.maxResponseBytes ?? 48 * 1024 * 1024,
    request: options.request ?? sendRequest,
    onCall: options.onCall ?? (() => () => undefined),
    watchSilence: createSilenceWatch((maxMs) => probeHost(host, journeyPaths.info, maxMs), options.silence),
  };
  // Most clients download no files.
  let hosts: FileHosts | undefined;
  const get = (path: string, { signal }: JourneyCallOptions = {}): JourneyCall => ({ method: 'GET', path, signal });
  const post = async (path: string, { signal }: JourneyCallOptions = {}): Promise<void> => {
    await callJourney(address, { method: 'POST', path, body: {}, signal });
  };
  const write = (
    method: 'PUT' | 'PATCH',
    model: string,
    id: string,
    fields: JourneyFields,
    callOptions: JourneyCallOptions = {},
  ) => {
    const path = journeyPaths.object(model, id);
    return callForJson(
      address,
      { method, path, body: { [model]: fields }, signal: callOptions.signal },
      journeyObject(model),
    );
  };

  return {
    baseUrl: address.baseUrl,
    info: async (callOptions) => callForJson(address, get(journeyPaths.info, callOptions), JourneyInfo),
    dataModel: async (callOptions) => readDataModel(address, callOptions),
    list: async (model, callOptions) => listObjects(address, model, callOptions),
    listAfter: async (model, lastId, limit, callOptions) =>
      listObjectsAfter(address, model, lastId, { limit, ...callOptions }),
    listByIds: async (model, ids, callOptions) => listObjectsByIds(address, model, ids, callOptions),
    search: async (model, search, callOptions) => searchObjects(address, model, search, callOptions),
    count: async (model, callOptions) =>
      (await callForJson(address, get(journeyPaths.count(model), callOptions), JourneyCount)).count,
    get: async (model, id, callOptions) =>
      callForJson(address, get(journeyPaths.object(model, id), callOptions), journeyObject(model)),
    put: async (model, id, fields, callOptions) => write('PUT', model, id, fields, callOptions),
    patch: async (model, id, fields, callOptions) => write('PATCH', model, id, fields, callOptions),
    remove: async (model, id, { signal } = {}) => {
      await callJourney(address, { method: 'DELETE', path: journeyPaths.object(model, id), signal });
    },
    batch: async (operations, callOptions) => runBatch(address, operations, callOptions),
    probeBatch: async (callOptions) => probeBatch(address, callOptions),
    opLog: async (page) => readOpLog(address, page),
    opLogTail: async (limit, callOptions) => readOpLogTail(address, { limit, ...callOptions }),
    users: async ({ limit, skip, signal } = {}) =>
      callForJson(address, { ...get(journeyPaths.users, { signal }), query: { limit, skip } }, JourneyUserList),
    user: async (userId, callOptions) => callForJson(address, get(journeyPaths.user(userId), callOptions), JourneyUser),
    lockUser: async (userId, callOptions) => post(journeyPaths.userAction(userId, 'lock'), callOptions),
    unlockUser: async (userId, callOptions) => post(journeyPaths.userAction(userId, 'unlock'), callOptions),
    authenticationToken: async (userId, { signal } = {}) =>
      callForJson(
        address,
        { method: 'POST', path: journeyPaths.userAction(userId, 'authentication-token'), body: {}, signal },
        JourneyAuthenticationToken,
      ),
    wipe: async (userId, sessionId, callOptions) =>
      post(journeyPaths.sessionAction(userId, sessionId, 'wipe'), callOptions),
    reAuthenticate: async (userId, sessionId, callOptions) =>
      post(journeyPaths.sessionAction(userId, sessionId, 're-authenticate'), callOptions),
    reEnroll: async (userModel, userId, { signal } = {}) => {
      const path = journeyPaths.reEnroll(userModel, userId);
      await callForJson(address, { method: 'POST', path, body: {}, signal }, JourneySuccess);
    },
    attachment: async (url, type, { signal } = {}) => {
      hosts ??= createFileHosts(options.fileHosts ?? []);
      return fetchAttachment({ address, hosts, signal }, url, type);
    },
  };
}
