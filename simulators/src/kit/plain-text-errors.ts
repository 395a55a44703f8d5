import type { ErrorStyle } from './error-style.ts';

/** An error response in plain text. */
export class TextError extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

export const plainTextErrors: ErrorStyle = {
  internalError: 'java.lang.NullPointerException',
  notFound: () => new TextError(404, 'This address does not exist.'),
  forbidden: (message) => new TextError(403, message),
  invalid({ issues: [issue] }) {
    return new TextError(400, `${issue?.path.join('.') || 'The body'}: ${issue?.message ?? 'is invalid'}`);
  },
  send(reply, error) {
    const message = error instanceof Error ? error.message : 'java.lang.IllegalStateException';
    reply.code(getStatus(error));
    return message === '' ? reply.send() : reply.type('text/plain; charset=utf-8').send(message);
  },
};

function getStatus(error: unknown): number {
  if (error instanceof TextError) return error.status;
  return error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
}
