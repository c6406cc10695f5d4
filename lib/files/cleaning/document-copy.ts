/** What a document told, and the document without it. */
export type CleanedDocument = {
  /** Names of the metadata fields that were filled. */
  names: string[];
  /** The document without them; null when there was nothing to take out, or when it can't be done. */
  copy: Uint8Array | null;
  /** It was read to its end and can't be cleaned: it holds a signature that a change would break. */
  stuck: boolean;
};

/** Names of the filled fields of a picture's own metadata. */
export type PictureFieldReader = (picture: Buffer) => Promise<string[]>;

/** What is done with what a document holds. */
export type DocumentCleaners = {
  /** Notes the name of a field that says something. */
  tell: (name: string) => void;
  /** A picture without what its camera wrote. @throws Error when it is of a kind that isn't known */
  picture: (bytes: Buffer) => Promise<Buffer>;
  /** A document inside of the document, cleaned as well. @throws Error when it can't be */
  document: (bytes: Buffer) => Promise<Buffer>;
};
