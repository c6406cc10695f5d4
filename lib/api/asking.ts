/** A request as far as the service reads it: Next's own, or one that came by the short way (lib/run/short-way.ts). */
export type Asking = Pick<Request, "method" | "url" | "signal"> & {
  readonly headers: AskingHeaders;
  readonly body: AskingBody | null;
};

/** One value a name; several of the same name as one text, with commas. */
export type AskingHeaders = Pick<Headers, "get" | "has">;

export type AskingBody = { getReader(): BodyChunks };
export type BodyChunks = Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">;
