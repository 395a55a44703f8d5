import '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * The cookie that carries a session's token. Out of reach of scripts, and never sent along by other
 * sites' pages.
 */
export class SessionCookie {
  readonly name: string;
  readonly #secure: boolean;

  /**
   * Over HTTPS the prefix `__Host-` makes browsers refuse the cookie from any other host or without
   * Secure.
   */
  constructor({ https }: { readonly https: boolean }) {
    this.#secure = https;
    this.name = https ? '__Host-portal' : 'portal';
  }

  read(request: FastifyRequest): string | undefined {
    return request.cookies[this.name];
  }

  write(reply: FastifyReply, token: string): void {
    reply.setCookie(this.name, token, { path: '/', httpOnly: true, sameSite: 'strict', secure: this.#secure });
  }

  clear(reply: FastifyReply): void {
    reply.clearCookie(this.name, { path: '/', httpOnly: true, sameSite: 'strict', secure: this.#secure });
  }
}
