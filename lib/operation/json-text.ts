/** JSON responses, and the headers that all of them have. */

export const PRIVATE_JSON_RESPONSE_HEADERS = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "private, no-store",
  Vary: "Cookie",
};

export type PageAndTotalPages = { page: number; totalPages: number };

/** The output of an operation that is already serialized as JSON, in the shape that the operation declares. */
export class SerializedJsonOutput {
  readonly text: string;
  /** Of a list: what the text says about its pages. */
  readonly pagination: PageAndTotalPages | undefined;
  constructor(text: string, pagination?: PageAndTotalPages) {
    this.text = text;
    this.pagination = pagination;
  }
}
