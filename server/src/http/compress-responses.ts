import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

/** Smaller responses fit in one network packet, compressed or not. */
const minBytes = 1_024;

/** Files such as photos are compressed already. */
const compressedTypes = /^(text\/|application\/(json|javascript|xml|x-ndjson)\b)/;

/**
 * Compresses responses while they are sent; files of the page are compressed by its build. Requests
 * are never decompressed, because a small one could then become large.
 */
export async function compressResponses(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    threshold: minBytes,
    customTypes: compressedTypes,
    encodings: ['br', 'gzip'],
    // Higher qualities take longer than they save.
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
    globalDecompression: false,
  });
}
