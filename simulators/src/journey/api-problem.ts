/** Errors in Journey's format: a reliable type, and a text for people. */
const statusByType = {
  INVALID_API_REQUEST: 400,
  AUTHENTICATION_FAILED: 401,
  OBJECT_NOT_FOUND: 404,
  ROUTE_ERROR: 404,
  ACCOUNT_NOT_FOUND: 404,
  INVALID_VALUE: 422,
  OPERATION_SKIPPED: 424,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_SERVER_ERROR: 500,
} as const;

const titleByType: Readonly<Record<ProblemType, string>> = {
  INVALID_API_REQUEST: 'The request is invalid.',
  AUTHENTICATION_FAILED: 'Access denied.',
  OBJECT_NOT_FOUND: 'The object was not found.',
  ROUTE_ERROR: 'There is no such route.',
  ACCOUNT_NOT_FOUND: 'The account was not found.',
  INVALID_VALUE: 'A value is invalid.',
  OPERATION_SKIPPED: 'The operation was skipped.',
  TOO_MANY_REQUESTS: 'Too many requests.',
  INTERNAL_SERVER_ERROR: 'Something went wrong.',
};

const see = 'https://docs.journeyapps.com/reference/backend-api/api-reference/error-responses';

type ProblemType = keyof typeof statusByType;

/** The body of an error response, or the `error` of one operation in a batch. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  readonly see: string;
}

export class ApiProblem extends Error {
  readonly type: ProblemType;
  /** HTTP status. */
  readonly status: number;
  /** In whole seconds, if waiting helps. */
  readonly retryAfterSeconds: number | undefined;

  constructor(type: ProblemType, detail: string, { retryAfterSeconds }: { retryAfterSeconds?: number } = {}) {
    super(detail);
    this.type = type;
    this.status = statusByType[type];
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get body(): ProblemBody {
    return { type: this.type, title: titleByType[this.type], detail: this.message, see };
  }
}

/** The result of an operation skipped because of `stop_on_error`. */
export function skipped(): ApiProblem {
  return new ApiProblem('OPERATION_SKIPPED', 'Skipped because an earlier operation failed and stop_on_error is set.');
}

export function invalidRequest(detail: string): ApiProblem {
  return new ApiProblem('INVALID_API_REQUEST', detail);
}

export function invalidValue(detail: string): ApiProblem {
  return new ApiProblem('INVALID_VALUE', detail);
}

export function objectNotFound(type: string, id: string): ApiProblem {
  return new ApiProblem('OBJECT_NOT_FOUND', `No ${type} found with ID: '${id}'`);
}
