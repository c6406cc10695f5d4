/**
 * The part of a request that the service reads: Next's request, or one on the direct API path
 * (lib/server/direct-api.ts).
 */
export type ApiRequest = Pick<Request, "method" | "url"> & {
  readonly headers: ApiRequestHeaders;
  readonly body: ApiRequestBodyStream | null;
  readonly signal?: AbortSignal;
};

/** A request whose response can be streamed: its signal aborts when the client disconnects. */
export type ApiRequestWithAbortSignal = ApiRequest & Pick<Request, "signal">;

/** One value per name; several headers of the same name are one text, joined with commas. */
export type ApiRequestHeaders = Pick<Headers, "get" | "has">;

export type ApiRequestBodyStream = { getReader(): RequestBodyChunkReader };
export type RequestBodyChunkReader = Pick<ReadableStreamDefaultReader<Uint8Array>, "read">;
