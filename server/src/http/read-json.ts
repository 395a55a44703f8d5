import { isStorable } from '@portal/kit/postgres/storable-text';
import { Invalid } from '@portal/kit/problems';
import type { FastifyInstance } from 'fastify';

/**
 * Accepts only JSON. An empty body counts as none, because some callers always send the content
 * type. Texts that PostgreSQL cannot store are rejected; only escapes can produce them, so only
 * bodies with escapes are checked.
 */
export function readJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body.toString();
    if (text.length === 0) return done(null, undefined);
    return parse(request, text, (error, value) => {
      const isAccepted = error !== null || !text.includes('\\u') || isStorable(value);
      done(isAccepted ? error : new Invalid('The request contains invalid characters.'), value);
    });
  });
}
