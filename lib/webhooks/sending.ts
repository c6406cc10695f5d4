import { createHmac } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { env } from "#lib/env.ts";
import type { WebhookMessageHeaders } from "#lib/webhooks/message.ts";
import { resolvePublicAddress, refusePrivateIpHost } from "#lib/webhooks/targets.ts";

const TIMEOUT_MS = 10_000;
/** Bytes read of a response; nothing of it is kept. */
const MAX_RESPONSE_BYTES = 1024;

/** The outcome of an attempt: the response's status, or the reason why there was none. */
export type WebhookAttemptResult = { status: number | null; failure: string | null; durationMs: number };

type OutgoingWebhookMessage = { id: string; url: string; secret: string; body: string };

/**
 * Posts a signed message: `Heed-Signature: v1=<hex HMAC-SHA256 of "id.timestamp.body">`, the timestamp in seconds.
 * Doesn't follow redirects, since their target is unchecked. Never throws.
 */
export async function postWebhook({
  id,
  url,
  secret,
  body,
}: OutgoingWebhookMessage): Promise<WebhookAttemptResult> {
  const started = performance.now();
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signatureHeaders: WebhookMessageHeaders = {
    "Heed-Webhook-Id": id,
    "Heed-Timestamp": timestamp,
    "Heed-Signature": computeSignature(secret, { id, timestamp, body }),
  };
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    "User-Agent": "Heed-Webhook/1",
    ...signatureHeaders,
  };
  const result = await sendRequest(new URL(url), headers, body).then(
    (status) => ({ status, failure: isRedirect(status) ? "redirect" : null }),
    (error: unknown) => ({ status: null, failure: chooseFailureReason(error) }),
  );
  return { ...result, durationMs: Math.round(performance.now() - started) };
}

const computeSignature = (
  secret: string,
  { id, timestamp, body }: { id: string; timestamp: string; body: string },
): string => `v1=${createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("hex")}`;

const isRedirect = (status: number) => status >= 300 && status < 400;

/** Returns the response's status. */
function sendRequest(target: URL, headers: http.OutgoingHttpHeaders, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    if (target.protocol !== "https:" && !env().WEBHOOK_PRIVATE_TARGETS)
      throw Object.assign(new Error("plain http"), { code: "NOT_HTTPS" });
    refusePrivateIpHost(target);
    const request = (target.protocol === "https:" ? https : http).request(target, {
      method: "POST",
      headers,
      lookup: resolvePublicAddress,
      // A new connection each time: a reused one would skip the lookup.
      agent: false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    request.on("error", reject);
    request.on("response", (response) => {
      let bytesRead = 0;
      response.on("data", (chunk: Buffer) => {
        bytesRead += chunk.length;
        if (bytesRead > MAX_RESPONSE_BYTES) response.destroy();
      });
      response.on("error", () => {});
      response.on("close", () => resolve(response.statusCode ?? 0));
    });
    request.end(body);
  });
}

const FAILURE_REASONS: [RegExp, string][] = [
  [/^PRIVATE_ADDRESS$/, "private-address"],
  [/^NOT_HTTPS$/, "not-https"],
  [/^(ABORT_ERR|ETIMEDOUT|23)$|Timeout/, "timeout"],
  [/^ECONNREFUSED$/, "refused"],
  [/^(ENOTFOUND|EAI_\w+)$/, "unknown-name"],
  [/CERT|TLS|SSL|SELF_SIGNED|EPROTO/, "certificate"],
];

/** Returns a keyword for the delivery log, never what the receiver said. */
function chooseFailureReason(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: string };
  const errorCode = String(code ?? name ?? "");
  return FAILURE_REASONS.find(([pattern]) => pattern.test(errorCode))?.[1] ?? "connection";
}
