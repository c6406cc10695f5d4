import type { IncomingMessage, ServerResponse } from "node:http";
import { constants } from "node:zlib";
import compression from "compression";

type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * Compresses the responses of pages as they are written, with Brotli where the browser accepts it: a page becomes a
 * fifth smaller than with gzip, in the same time. Responses with `no-transform` and those below 1 kB stay as they are.
 */
export const pageCompressionMiddleware = compression({
  threshold: 1024,
  brotli: {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 5,
      // A window of 256 kB holds a whole page; the default takes megabytes for each response under way.
      [constants.BROTLI_PARAM_LGWIN]: 18,
    },
  },
}) as unknown as Middleware;
