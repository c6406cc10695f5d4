import type http from "node:http";
import { sendRawRequest, type Reply } from "./client.ts";

/**
 * A minimal shared cache: it stores by URL every response that it may store, and honors `Vary`. It knows neither
 * cookies nor tokens.
 */
export class SharedCache {
  readonly #origin: string;
  readonly #mayKeep: (reply: Reply) => boolean;
  readonly #replies = new Map<string, CachedReply[]>();

  /** @param mayKeep whether to store a response; by default every response that doesn't forbid it */
  constructor(origin: string, mayKeep: (reply: Reply) => boolean = isNotForbidden) {
    this.#origin = origin;
    this.#mayKeep = mayKeep;
  }

  /** @returns the response, and whether it came from the cache */
  async get(path: string, headers: Headers): Promise<{ reply: Reply; hit: boolean }> {
    const cached = this.#replies.get(path) ?? [];
    const known = cached.find(({ varies }) =>
      Object.entries(varies).every(([name, value]) => headers[name] === value),
    );
    if (known) return { reply: known.reply, hit: true };
    const reply = await sendRawRequest(this.#origin, { method: "GET", path, headers });
    const varies = pickVaryHeaders(reply.headers, headers);
    if (varies && this.#mayKeep(reply)) this.#replies.set(path, [...cached, { varies, reply }]);
    return { reply, hit: false };
  }
}

type Headers = Record<string, string | undefined>;
type CachedReply = { varies: Headers; reply: Reply };

const isNotForbidden = ({ headers }: Reply): boolean =>
  !/\b(no-store|private|no-cache)\b/i.test(headers["cache-control"] ?? "");

/** Returns the request headers that the response varies on; undefined for `Vary: *`. */
function pickVaryHeaders(
  { vary = "" }: http.IncomingHttpHeaders,
  requestHeaders: Headers,
): Headers | undefined {
  const names = vary
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  return names.includes("*")
    ? undefined
    : Object.fromEntries(names.map((name) => [name, requestHeaders[name]]));
}
