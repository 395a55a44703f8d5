import { isStorable } from '@portal/kit/postgres/storable-text';
import { Invalid } from '@portal/kit/problems';
import type { FastifyInstance } from 'fastify';

/**
 * JSON is the only thing taken; an empty body counts as none, since some callers always send the
 * content type. Texts that nothing behind could store are refused here; only escapes can bring them
 * in, so only those are looked at twice.
 */
export function readJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body.toString();
    if (text.length === 0) return done(null, undefined);
    return parse(request, text, (error, value) => {
      const isAccepted = error !== null || !text.includes('\\u') || isStorable(value);
      done(isAccepted ? error : new Invalid('A text in the request holds characters that are none.'), value);
    });
  });
}
