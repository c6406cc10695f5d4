import type { Attributes, Tracer } from "@opentelemetry/api";
import { processWide } from "#lib/process-wide.ts";

/** Spans, where traces are on (start.ts). Where they are off, this reads one variable, and the library isn't loaded. */

/** The tracing library as start.ts passes it to `setTracingLibrary`; not set while tracing is off. */
type TracingLibrary = {
  tracer: Tracer;
  /** Whether a span is open that another one can belong to. */
  isInSpan(): boolean;
  withoutSpans<Result>(work: () => Result): Result;
};

/** The tracing library, if tracing is on; `startTracing` sets it. */
const holder = processWide("tracing", (): { tracing?: TracingLibrary | undefined } => ({}));

export const setTracingLibrary = (tracing: TracingLibrary | undefined): void =>
  void (holder.tracing = tracing);

export const isTracing = (): boolean => holder.tracing !== undefined;

/** Only the attributes that redaction.ts allows leave the process. */
export type Span = { set(attributes: Attributes): void };

type Work<Result> = (span: Span | undefined) => Promise<Result>;

/**
 * Runs work in a span of its own, which starts a trace if none is open, as for a request or a job.
 * @param name built only from our own words, never from anything that somebody sent
 */
export function withRootOrChildSpan<Result>(name: string, work: Work<Result>): Promise<Result> {
  const tracer = holder.tracing?.tracer;
  return tracer ? startSpan(tracer, name, work) : work(undefined);
}

/**
 * Runs work in a child span of the open one. Without an open span, as for polling while the service is idle, none is
 * recorded.
 * @param name built only from our own words, never from anything that somebody sent
 */
export const withChildSpan = <Result>(name: string, work: Work<Result>): Promise<Result> =>
  holder.tracing?.isInSpan() ? withRootOrChildSpan(name, work) : work(undefined);

/** Runs work without recording any spans, including those of libraries. */
export const runWithoutTracingSpans = <Result>(work: () => Result): Result =>
  holder.tracing ? holder.tracing.withoutSpans(work) : work();

function startSpan<Result>(tracer: Tracer, name: string, work: Work<Result>): Promise<Result> {
  return tracer.startActiveSpan(name, async (span) => {
    try {
      return await work({ set: (attributes) => void span.setAttributes(attributes) });
    } catch (error) {
      span.setStatus({ code: SPAN_STATUS_ERROR });
      span.setAttribute("error.type", findErrorType(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The value of SpanStatusCode.ERROR, without loading the library for it. */
const SPAN_STATUS_ERROR = 2;

function findErrorType(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return String(typeof code === "string" ? code : (name ?? typeof error));
}
