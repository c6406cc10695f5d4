import { trimEndMatching } from "#lib/design/truncate.ts";
import type { Env } from "#lib/env.ts";
import { VERSION } from "#lib/version.ts";
import { setTracingLibrary } from "./spans.ts";

/**
 * Turns traces on when OTEL_EXPORTER_OTLP_ENDPOINT is set, and loads the library only then. Call it before Next is
 * loaded, which records spans of its own.
 * @returns a function that sends the remaining spans and turns traces off
 */
export async function startTracing(
  env: Pick<Env, "OTEL_EXPORTER_OTLP_ENDPOINT">,
): Promise<() => Promise<void>> {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint) return async () => {};
  const [
    { context, trace },
    { suppressTracing },
    { BatchSpanProcessor, NodeTracerProvider },
    { OTLPTraceExporter },
    { resourceFromAttributes },
    { createRedactingSpanExporter: cleaning },
  ] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/core"),
    import("@opentelemetry/sdk-trace-node"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
    import("./redaction.ts"),
  ]);
  const exporter = new OTLPTraceExporter({ url: `${trimEndMatching(endpoint, /\//)}/v1/traces` });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ "service.name": "heed", "service.version": VERSION }),
    spanProcessors: [new BatchSpanProcessor(cleaning(exporter))],
  });
  provider.register();
  setTracingLibrary({
    tracer: provider.getTracer("heed"),
    isInSpan: () => trace.getActiveSpan() !== undefined,
    withoutSpans: (work) => context.with(suppressTracing(context.active()), work),
  });
  return async () => {
    setTracingLibrary(undefined);
    await provider.shutdown().catch(() => {});
  };
}
