import type { ServerResponse } from "node:http";

/** Responses to requests that never reach an operation or a page. */

export type RequestKind = "api" | "page" | "static";

export type Refusal = {
  status: number;
  code: string;
  error: string;
  details: string;
  headers?: Record<string, string>;
};

/** Refused here, since Next would read the form, give up, and show its own error page. */
export const FORM_TOO_LARGE: Refusal = {
  status: 413,
  code: "PAYLOAD_TOO_LARGE",
  error:
    "Not sent: this form holds too much. Go back to the page before this one, where what you wrote should still stand. Shorten it, and send it again.",
  details: "A form of a page may have 4 MiB.",
};

export function createInvalidRequestRefusal(error: string): Refusal {
  return { status: 400, code: "VALIDATION_ERROR", error, details: error };
}

/** Sends a refusal as JSON for the API, and as text for a page. */
export function sendRefusal(response: ServerResponse, kind: RequestKind, refusal: Refusal): void {
  const json = kind === "api";
  const headers = {
    ...refusal.headers,
    "Content-Type": json ? "application/json; charset=utf-8" : "text/plain; charset=utf-8",
  };
  response.writeHead(refusal.status, headers);
  response.end(json ? serializeRefusal(refusal) : `${refusal.error}\n`);
}

/** Returns the JSON of a refusal, in the form that every error has (contract 3.3). */
export function serializeRefusal({ error, details, code }: Refusal): string {
  return JSON.stringify({ error, details, code });
}
