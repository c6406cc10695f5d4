import type { Attributes, Tracer } from "@opentelemetry/api";

/** Spans, where traces are on (start.ts). Off, this costs a look at one variable, and nothing of the library is loaded. */

// Set once at the start, for all copies of this module: the bundler and the start command load their own.
const kept = globalThis as unknown as { heedTracer?: Tracer };

export const setTracer = (tracer: Tracer | undefined): void => void (kept.heedTracer = tracer);

export const tracing = (): boolean => kept.heedTracer !== undefined;

/** Of attributes only those that clean.ts lets through leave the process. */
export type Span = { set(attributes: Attributes): void };

/**
 * Does work within a span, below the one that is open here.
 * @param name made of words of ours only, never of anything that somebody sent
 */
export function inSpan<Result>(
  name: string,
  work: (span: Span | undefined) => Promise<Result>,
): Promise<Result> {
  const tracer = kept.heedTracer;
  if (!tracer) return work(undefined);
  return tracer.startActiveSpan(name, async (span) => {
    try {
      return await work({ set: (attributes) => void span.setAttributes(attributes) });
    } catch (error) {
      span.setStatus({ code: FAILED });
      span.setAttribute("error.type", typeOf(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

/** SpanStatusCode.ERROR, without loading the library for it. */
const FAILED = 2;

function typeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return String(typeof code === "string" ? code : (name ?? typeof error));
}
