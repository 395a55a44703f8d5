import '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** How long a browser that signed in is recognized after its last sign-in. */
export const deviceDays = 180;

interface TokenCookieOptions {
  readonly name: string;
  readonly https: boolean;
  /** The browser deletes the cookie when it closes if omitted. */
  readonly maxAgeSeconds?: number;
}

/** A cookie with a token. Scripts cannot read it, and other sites' pages cannot send it. */
export class TokenCookie {
  readonly name: string;
  readonly #attributes: Parameters<FastifyReply['setCookie']>[2];

  /**
   * Over HTTPS, the prefix `__Host-` makes browsers reject the cookie from other hosts and without
   * Secure.
   */
  constructor({ name, https, maxAgeSeconds }: TokenCookieOptions) {
    this.name = https ? `__Host-${name}` : name;
    const maxAge = maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds };
    this.#attributes = { path: '/', httpOnly: true, sameSite: 'strict', secure: https, ...maxAge };
  }

  read(request: FastifyRequest): string | undefined {
    return request.cookies[this.name];
  }

  write(reply: FastifyReply, token: string): void {
    reply.setCookie(this.name, token, this.#attributes);
  }

  clear(reply: FastifyReply): void {
    reply.clearCookie(this.name, this.#attributes);
  }
}

/** The cookie with a session's token. */
export function createSessionCookie({ https }: { readonly https: boolean }): TokenCookie {
  return new TokenCookie({ name: 'portal', https });
}

/** The cookie with the token of a browser that signed in before. It survives sign-outs. */
export function createDeviceCookie({ https }: { readonly https: boolean }): TokenCookie {
  return new TokenCookie({ name: 'portal-device', https, maxAgeSeconds: deviceDays * 24 * 3600 });
}
