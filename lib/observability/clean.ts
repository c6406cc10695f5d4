import type { Attributes } from "@opentelemetry/api";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-node";

/**
 * What may leave the process. Next writes addresses with their queries, and words of errors, into its spans: an address
 * can hold an invite's code, an error somebody's words. So spans are made anew from what is known to be harmless.
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

/** Passes spans on without anything that isn't known to be harmless. */
export function createRedactingExporter(exporter: SpanExporter): SpanExporter {
  return {
    export: (spans, done) => exporter.export(spans.map(redactSpan), done),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

/** The same span, with our own name for those of Next, and without events and messages. */
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
