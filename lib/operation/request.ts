/** A request as far as the service reads it: Next's own, or one that came by the short way (lib/server/direct-api.ts). */
export type Asking = Pick<Request, "method" | "url"> & {
  readonly headers: AskingHeaders;
  readonly body: AskingBody | null;
  readonly signal?: AbortSignal;
};

/** One whose answer may be streamed: its signal says when the client leaves. */
export type Following = Asking & Pick<Request, "signal">;

/** One value a name; several of the same name as one text, with commas. */
export type AskingHeaders = Pick<Headers, "get" | "has">;

export type AskingBody = { getReader(): BodyChunks };
export type BodyChunks = Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">;
