/**
 * Handles every call to a deployment: finds it by id, checks credentials, and applies its rate
 * limit.
 */
import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { ApiProblem } from './api-problem.ts';
import type { Model } from './data-model.ts';
import type { Deployment } from './deployment.ts';
import type { Fault, JourneyServer } from './journey-server.ts';

export interface Call {
  readonly deployment: Deployment;
  /** The deployment's base URL as the caller sees it, without a trailing slash. */
  readonly url: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly fault: Fault | undefined;
  /**
   * Returns a path parameter. One that the route names `{name}File` must end with `.json`, which is
   * removed.
   */
  parameter(name: string): string;
  /** Returns the model named by the path parameter `model`. */
  model(): Model;
}

export interface Api {
  /** Registers a route below the deployment's base URL. The handler's result is sent as JSON. */
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
        // Checked before the body is read, so that unauthorized callers cannot send 64 MB.
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
