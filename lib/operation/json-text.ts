/** Answers that are JSON, with the headers that each of them has. */

export const JSON_HEADERS = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "private, no-store",
  Vary: "Cookie",
};

/** The answer of an operation that is JSON already, in the shape that it declares. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
