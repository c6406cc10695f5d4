/** Answers that are JSON, with the headers that each of them has. */

export const JSON_HEADERS = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "private, no-store",
  Vary: "Cookie",
};

/** @param text JSON already, in the shape that the operation declares */
export const jsonAnswer = (text: string): Response => new Response(text, { headers: JSON_HEADERS });
