/**
 * The way of every call into a deployment: found by its id, let in by its credentials, counted by
 * its token bucket.
 */
import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { ApiProblem } from './api-problem.ts';
import type { Model } from './data-model.ts';
import type { Deployment } from './deployment.ts';
import type { Fault, JourneyServer } from './journey-server.ts';

export interface Call {
  readonly deployment: Deployment;
  /** Base URL of the deployment as the caller knows it, without a slash at its end. */
  readonly url: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly fault: Fault | undefined;
  /**
   * A part of the path. One the route calls `{name}File` must end in `.json`, which is left out.
   */
  parameter(name: string): string;
  /** The model the path names as `model`. */
  model(): Model;
}

export interface Api {
  /** `path` under the deployment's base URL. What the handler answers is sent as JSON. */
  on(method: HTTPMethods, path: string, handle: (call: Call) => unknown): void;
}

export function createApi({ server, getFault }: JourneyServer, deployments: readonly Deployment[]): Api {
  const byId = new Map(deployments.map((deployment) => [deployment.id, deployment]));
  const addressed = (request: FastifyRequest): Deployment => {
    const id = getParameter(request, 'deployment');
    const deployment = byId.get(id);
    if (deployment === undefined) throw new ApiProblem('ACCOUNT_NOT_FOUND', `No account found with ID: '${id}'`);
    return deployment;
  };
  return {
    on: (method, path, handle) => {
      server.route({
        method,
        url: `/api/v4/:deployment/${path}`,
        // Before the body is read: a stranger's 64 MB are not.
        onRequest: async (request) => admit(addressed(request), request),
        handler: (request, reply) => {
          const deployment = addressed(request);
          return handle({
            deployment,
            url: `${request.protocol}://${request.host}/api/v4/${deployment.id}`,
            query: new URLSearchParams(request.url.split('?')[1] ?? ''),
            body: request.body,
            request,
            reply,
            fault: getFault(request),
            parameter: (name) => getParameter(request, name),
            model: () => getModel(deployment, getParameter(request, 'model')),
          });
        },
      });
    },
  };
}

function admit(deployment: Deployment, request: FastifyRequest): void {
  if (!deployment.isAuthorized(request.headers.authorization))
    throw new ApiProblem('AUTHENTICATION_FAILED', 'The credentials are wrong.');
  const { waitMs } = deployment.takeToken();
  if (waitMs > 0) {
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw new ApiProblem('TOO_MANY_REQUESTS', 'The rate limit of this deployment is exceeded.', { retryAfterSeconds });
  }
}

function getModel(deployment: Deployment, name: string): Model {
  const model = deployment.dataModel().models.get(name);
  if (model === undefined) throw new ApiProblem('ROUTE_ERROR', `There is no model '${name}'.`);
  return model;
}

const suffix = '.json';

export function getParameter(request: FastifyRequest, name: string): string {
  const { params } = request;
  const isFile = typeof params === 'object' && params !== null && `${name}File` in params;
  const value: unknown =
    typeof params === 'object' && params !== null ? Reflect.get(params, isFile ? `${name}File` : name) : '';
  const text = typeof value === 'string' ? value : '';
  if (!isFile) return text;
  if (!text.endsWith(suffix)) throw new ApiProblem('ROUTE_ERROR', `No route for ${request.url}`);
  return text.slice(0, -suffix.length);
}
