/** The metadata that a document held, and the document without it. */
export type DocumentCleaningResult = {
  /** Names of the metadata fields that were filled. */
  names: string[];
  /** The document without them; null when there is nothing to remove or it can't be removed. */
  copy: Uint8Array | null;
  /** Whether the document was read to its end but can't be cleaned, because a change would break its signature. */
  stuck: boolean;
};

/** Lists the filled metadata fields of a picture. */
export type PictureMetadataFieldReader = (picture: Buffer) => Promise<string[]>;

/** Callbacks that a cleaner calls for the contents of a document. */
export type DocumentCleaningCallbacks = {
  /** Records the name of a filled metadata field. */
  noteField: (name: string) => void;
  /** Returns the picture without its camera metadata. @throws Error when its format isn't supported */
  picture: (bytes: Buffer) => Promise<Buffer>;
  /** Returns an embedded document, cleaned as well. @throws Error when it can't be cleaned */
  document: (bytes: Buffer) => Promise<Buffer>;
};
