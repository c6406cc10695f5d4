import type { Attributes, Tracer } from "@opentelemetry/api";

/** Spans, where traces are on (start.ts). Off, this costs a look at one variable, and nothing of the library is loaded. */

/** What start.ts brings along once the library is loaded. */
export type Tracing = {
  tracer: Tracer;
  /** Is there an open span here, below which another one belongs? */
  isInSpan(): boolean;
  withoutSpans<Result>(work: () => Result): Result;
};

// Set once at the start, for all copies of this module: the bundler and the start command load their own.
const globalTracing = globalThis as unknown as { heedTracing?: Tracing };

export const setTracing = (tracing: Tracing | undefined): void => void (globalTracing.heedTracing = tracing);

export const tracing = (): boolean => globalTracing.heedTracing !== undefined;

/** Of attributes only those that clean.ts lets through leave the process. */
export type Span = { set(attributes: Attributes): void };

type Work<Result> = (span: Span | undefined) => Promise<Result>;

/**
 * Does work within a span of its own, which begins a trace where none is open: a request, a job.
 * @param name made of words of ours only, never of anything that somebody sent
 */
export function withRootSpan<Result>(name: string, work: Work<Result>): Promise<Result> {
  const tracer = globalTracing.heedTracing?.tracer;
  return tracer ? startSpan(tracer, name, work) : work(undefined);
}

/**
 * Does work within a span below the one that is open here. What the service does of its own accord while it is idle, such
 * as polling, has none above it, and leaves none.
 * @param name made of words of ours only, never of anything that somebody sent
 */
export const withSpan = <Result>(name: string, work: Work<Result>): Promise<Result> =>
  globalTracing.heedTracing?.isInSpan() ? withRootSpan(name, work) : work(undefined);

/** Does work that leaves no span, those of libraries included. */
export const withoutSpans = <Result>(work: () => Result): Result =>
  globalTracing.heedTracing ? globalTracing.heedTracing.withoutSpans(work) : work();

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

/** SpanStatusCode.ERROR, without loading the library for it. */
const SPAN_STATUS_ERROR = 2;

function findErrorType(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return String(typeof code === "string" ? code : (name ?? typeof error));
}
