import type { Attributes } from "@opentelemetry/api";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-node";

/**
 * Decides which trace data may leave the process. Next puts URLs with their queries and error messages into its
 * spans; a URL can hold an invite code, and a message what somebody wrote. So spans are rebuilt from what is known to
 * be harmless.
 */

const ALLOWED_ATTRIBUTES = new Set([
  "error.type",
  "heed.request_id",
  "http.method",
  "http.request.method",
  "http.response.status_code",
  "http.route",
  "http.status_code",
  "next.route",
  "next.segment",
  "next.span_type",
]);

/** Creates an exporter that forwards spans with only the attributes known to be harmless. */
export function createRedactingSpanExporter(exporter: SpanExporter): SpanExporter {
  return {
    export: (spans, done) => exporter.export(spans.map(redactSpan), done),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

/** Returns the span without events and messages, and with our own name instead of Next's. */
export function redactSpan(span: ReadableSpan): ReadableSpan {
  const attributes = pickAllowedAttributes(span.attributes);
  const type = attributes["next.span_type"];
  const name =
    typeof type === "string" ? [type, attributes["next.route"]].filter(Boolean).join(" ") : span.name;
  return Object.create(span, {
    name: { value: name },
    attributes: { value: attributes },
    events: { value: [] },
    links: { value: [] },
    status: { value: { code: span.status.code } },
  }) as ReadableSpan;
}

const pickAllowedAttributes = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => ALLOWED_ATTRIBUTES.has(name)));
