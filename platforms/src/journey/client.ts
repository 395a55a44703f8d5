/** The one client through which we speak with a Journey deployment. */
import { fetchAttachment, type JourneyFile } from './attachment.ts';
import { authorizationOf, type JourneyCredentials } from './authorization.ts';
import { normaliseJourneyBaseUrl } from './base-url.ts';
import { runBatch } from './batch.ts';
import { callJourney, type JourneyAddress, type JourneyCall, type SendRequest, sendRequest } from './call.ts';
import { callForJson } from './call-for-json.ts';
import { type JourneyDataModelAnswer, type JourneyDataModelOptions, readDataModel } from './data-model.ts';
import { type JourneyListOptions, type JourneyPageAfter, listObjects, listObjectsAfter } from './list-objects.ts';
import { type JourneyOpLogOptions, readOpLog, readOpLogTail } from './op-log.ts';
import { journeyPaths } from './paths.ts';
import { JourneyAuthenticationToken, JourneySuccess, JourneyUser, JourneyUserList } from './user-wire.ts';
import {
  JourneyCount,
  type JourneyFields,
  JourneyInfo,
  JourneyObject,
  type JourneyObjectList,
  type JourneyOperation,
  type JourneyOperationResult,
  type JourneyOpLogPage,
} from './wire.ts';

export type JourneyClientOptions = JourneyCredentials & {
  /**
   * With or without the slash at its end; without the deployment's id when there is a user name.
   */
  readonly baseUrl: string;
  /** For each call's whole answer; 30 s when left out. */
  readonly timeoutMs?: number;
  /** 48 MiB when left out: an attachment may have 25 MB. */
  readonly maxAnswerBytes?: number;
  readonly request?: SendRequest;
};

interface JourneyCallOptions {
  /** Ends the call, with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

interface JourneyPage extends JourneyCallOptions {
  readonly limit?: number;
  readonly skip?: number;
}

/**
 * Each call throws a `JourneyProblem`; decide by its `failure.kind`. Nothing is tried twice, and
 * nothing waits: that is for `journey-pace.ts`. Every write may be repeated without harm.
 */
export interface JourneyClient {
  /** With the deployment's id and a slash at its end. */
  readonly baseUrl: string;
  /** The cheapest way to try the credentials. */
  info(options?: JourneyCallOptions): Promise<JourneyInfo>;
  /** `unchanged` when it is still the one that came with this `etag`. */
  dataModel(options?: JourneyDataModelOptions): Promise<JourneyDataModelAnswer | 'unchanged'>;

  list(model: string, options?: JourneyListOptions): Promise<JourneyObjectList>;
  /**
   * The objects whose ids follow, ordered by id; from the first when `lastId` is undefined. At most
   * 1000.
   */
  listAfter(
    model: string,
    lastId: string | undefined,
    limit: number,
    options?: JourneyCallOptions,
  ): Promise<JourneyPageAfter>;
  count(model: string, options?: JourneyCallOptions): Promise<number>;
  get(model: string, id: string, options?: JourneyCallOptions): Promise<JourneyObject>;
  /** Replaces or creates; fields that are not named are cleared. */
  put(model: string, id: string, fields: JourneyFields, options?: JourneyCallOptions): Promise<JourneyObject>;
  /** Sets what is named. */
  patch(model: string, id: string, fields: JourneyFields, options?: JourneyCallOptions): Promise<JourneyObject>;
  /** `not-found` when there was none. */
  remove(model: string, id: string, options?: JourneyCallOptions): Promise<void>;
  /**
   * At most 1000, carried out in order, each by itself: a failed one does not keep the next from
   * its turn. Answers a result for each, in the same order.
   */
  batch(
    operations: readonly JourneyOperation[],
    options?: JourneyCallOptions,
  ): Promise<readonly JourneyOperationResult[]>;

  /**
   * Entries from the sequence `start` on; 400 when `limit` is left out, 1000 at most. At most one
   * call a second.
   */
  opLog(page: JourneyOpLogOptions): Promise<JourneyOpLogPage>;
  /** The most recent entries, in one page. */
  opLogTail(limit: number, options?: JourneyCallOptions): Promise<JourneyOpLogPage>;

  users(options?: JourneyPage): Promise<JourneyUserList>;
  user(userId: string, options?: JourneyCallOptions): Promise<JourneyUser>;
  lockUser(userId: string, options?: JourneyCallOptions): Promise<void>;
  unlockUser(userId: string, options?: JourneyCallOptions): Promise<void>;
  /** A new token each time. */
  authenticationToken(userId: string, options?: JourneyCallOptions): Promise<JourneyAuthenticationToken>;
  /** Sends the device's data away with its session. */
  wipe(userId: string, sessionId: string, options?: JourneyCallOptions): Promise<void>;
  reAuthenticate(userId: string, sessionId: string, options?: JourneyCallOptions): Promise<void>;
  /** With one device per user: the app is closed to it until the new code is scanned. */
  reEnroll(userModel: string, userId: string, options?: JourneyCallOptions): Promise<void>;

  /** The file at an address that an object of this deployment gave. */
  attachment(url: string, options?: JourneyCallOptions): Promise<JourneyFile>;
}

/** Throws Invalid for an address or credentials that cannot be. */
export function createJourneyClient(options: JourneyClientOptions): JourneyClient {
  const address: JourneyAddress = {
    baseUrl: normaliseJourneyBaseUrl(options.baseUrl, 'userName' in options ? options.userName : undefined),
    authorization: authorizationOf(options),
    timeoutMs: options.timeoutMs ?? 30_000,
    maxAnswerBytes: options.maxAnswerBytes ?? 48 * 1024 * 1024,
    request: options.request ?? sendRequest,
  };
  const get = (path: string, { signal }: JourneyCallOptions = {}): JourneyCall => ({ method: 'GET', path, signal });
  const act = async (path: string, { signal }: JourneyCallOptions = {}): Promise<void> => {
    await callJourney(address, { method: 'POST', path, body: {}, signal });
  };
  const write = (
    method: 'PUT' | 'PATCH',
    model: string,
    id: string,
    fields: JourneyFields,
    as: JourneyCallOptions = {},
  ) => {
    const path = journeyPaths.object(model, id);
    return callForJson(address, { method, path, body: { [model]: fields }, signal: as.signal }, JourneyObject);
  };

  return {
    baseUrl: address.baseUrl,
    info: async (as) => callForJson(address, get(journeyPaths.info, as), JourneyInfo),
    dataModel: async (as) => readDataModel(address, as),
    list: async (model, as) => listObjects(address, model, as),
    listAfter: async (model, lastId, limit, as) => listObjectsAfter(address, model, lastId, { limit, ...as }),
    count: async (model, as) => (await callForJson(address, get(journeyPaths.count(model), as), JourneyCount)).count,
    get: async (model, id, as) => callForJson(address, get(journeyPaths.object(model, id), as), JourneyObject),
    put: async (model, id, fields, as) => write('PUT', model, id, fields, as),
    patch: async (model, id, fields, as) => write('PATCH', model, id, fields, as),
    remove: async (model, id, { signal } = {}) => {
      await callJourney(address, { method: 'DELETE', path: journeyPaths.object(model, id), signal });
    },
    batch: async (operations, as) => runBatch(address, operations, as),
    opLog: async (page) => readOpLog(address, page),
    opLogTail: async (limit, as) => readOpLogTail(address, { limit, ...as }),
    users: async ({ limit, skip, signal } = {}) =>
      callForJson(address, { ...get(journeyPaths.users, { signal }), query: { limit, skip } }, JourneyUserList),
    user: async (userId, as) => callForJson(address, get(journeyPaths.user(userId), as), JourneyUser),
    lockUser: async (userId, as) => act(journeyPaths.userAction(userId, 'lock'), as),
    unlockUser: async (userId, as) => act(journeyPaths.userAction(userId, 'unlock'), as),
    authenticationToken: async (userId, { signal } = {}) =>
      callForJson(
        address,
        { method: 'POST', path: journeyPaths.userAction(userId, 'authentication-token'), body: {}, signal },
        JourneyAuthenticationToken,
      ),
    wipe: async (userId, sessionId, as) => act(journeyPaths.sessionAction(userId, sessionId, 'wipe'), as),
    reAuthenticate: async (userId, sessionId, as) =>
      act(journeyPaths.sessionAction(userId, sessionId, 're-authenticate'), as),
    reEnroll: async (userModel, userId, { signal } = {}) => {
      const path = journeyPaths.reEnroll(userModel, userId);
      await callForJson(address, { method: 'POST', path, body: {}, signal }, JourneySuccess);
    },
    attachment: async (url, as) => fetchAttachment(address, url, as),
  };
}
