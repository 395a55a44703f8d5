import '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * The cookie with a session's token. Scripts cannot read it, and other sites' pages cannot send it.
 */
export class SessionCookie {
  readonly name: string;
  readonly #secure: boolean;

  /**
   * Over HTTPS, the prefix `__Host-` makes browsers reject the cookie from other hosts and without
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
