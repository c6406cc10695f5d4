import { createHmac } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { env } from "#lib/env.ts";
import type { LetterHeaders } from "#lib/webhooks/letter.ts";
import { publicLookup, refusePrivateLiteral } from "#lib/webhooks/targets.ts";

const TIMEOUT_MS = 10_000;
/** Of an answer, this much is read, and nothing is kept. */
const MOST_READ = 1024;

/** What came of it: the status of an answer, or why there was none. */
export type Outcome = { status: number | null; failure: string | null; durationMs: number };

export type Sending = { id: string; url: string; secret: string; body: string };

/**
 * Posts a signed message: `Heed-Signature: v1=<hex HMAC-SHA256 of "id.timestamp.body">`, the timestamp in seconds.
 * Redirects are not followed: where they lead nobody has checked. Never throws.
 */
export async function post({ id, url, secret, body }: Sending): Promise<Outcome> {
  const started = performance.now();
  const timestamp = String(Math.floor(Date.now() / 1000));
  const ours: LetterHeaders = {
    "Heed-Webhook-Id": id,
    "Heed-Timestamp": timestamp,
    "Heed-Signature": signature(secret, { id, timestamp, body }),
  };
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    "User-Agent": "Heed-Webhook/1",
    ...ours,
  };
  const answer = await exchange(new URL(url), headers, body).then(
    (status) => ({ status, failure: isRedirect(status) ? "redirect" : null }),
    (error: unknown) => ({ status: null, failure: reasonFor(error) }),
  );
  return { ...answer, durationMs: Math.round(performance.now() - started) };
}

export const signature = (
  secret: string,
  { id, timestamp, body }: { id: string; timestamp: string; body: string },
): string => `v1=${createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("hex")}`;

const isRedirect = (status: number) => status >= 300 && status < 400;

/** The status of the answer. */
function exchange(target: URL, headers: http.OutgoingHttpHeaders, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    if (target.protocol !== "https:" && !env().WEBHOOK_PRIVATE_TARGETS)
      throw Object.assign(new Error("plain http"), { code: "NOT_HTTPS" });
    refusePrivateLiteral(target);
    const request = (target.protocol === "https:" ? https : http).request(target, {
      method: "POST",
      headers,
      lookup: publicLookup,
      // A connection of its own: one that is kept would skip the look-up.
      agent: false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    request.on("error", reject);
    request.on("response", (response) => {
      let read = 0;
      response.on("data", (chunk: Buffer) => {
        read += chunk.length;
        if (read > MOST_READ) response.destroy();
      });
      response.on("error", () => {});
      response.on("close", () => resolve(response.statusCode ?? 0));
    });
    request.end(body);
  });
}

const REASONS: [RegExp, string][] = [
  [/^PRIVATE_ADDRESS$/, "private-address"],
  [/^NOT_HTTPS$/, "not-https"],
  [/^(ABORT_ERR|ETIMEDOUT|23)$|Timeout/, "timeout"],
  [/^ECONNREFUSED$/, "refused"],
  [/^(ENOTFOUND|EAI_\w+)$/, "unknown-name"],
  [/CERT|TLS|SSL|SELF_SIGNED|EPROTO/, "certificate"],
];

/** A word for the delivery log; never what the other side said. */
function reasonFor(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: string };
  const told = String(code ?? name ?? "");
  return REASONS.find(([pattern]) => pattern.test(told))?.[1] ?? "connection";
}
