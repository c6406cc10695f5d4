/** A request as far as the service reads it: Next's own, or one that came by the short way (lib/server/direct-api.ts). */
export type ApiRequest = Pick<Request, "method" | "url"> & {
  readonly headers: ApiRequestHeaders;
  readonly body: ApiRequestBody | null;
  readonly signal?: AbortSignal;
};

/** One whose answer may be streamed: its signal says when the client leaves. */
export type StreamingApiRequest = ApiRequest & Pick<Request, "signal">;

/** One value a name; several of the same name as one text, with commas. */
export type ApiRequestHeaders = Pick<Headers, "get" | "has">;

export type ApiRequestBody = { getReader(): ChunkReader };
export type ChunkReader = Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">;
