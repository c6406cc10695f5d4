/**
 * The data that a page's script receives besides its HTML. React sends it in rows, and Next in pieces that end wherever the
 * stream was at a moment, also within a word.
 */

const PIECE = /<script[^>]*>self\.__next_f\.push\(\[1,("(?:[^"\\]|\\.)*")\]\)<\/script>/g;

/**
 * Puts the pieces of a page's data together again, and each row of it on its own line without its number. Two responses
 * with the same rows in the same order then have the same text, however they were cut.
 */
export function joinFlightData(html: string): string {
  const pieces = [...html.matchAll(PIECE)].map(([, piece = ""]) => JSON.parse(piece) as string);
  const rows = splitRows(Buffer.from(pieces.join(""))).map((row) => row.replaceAll("</script", "</ script"));
  return `${html.replace(PIECE, "")}<script>${rows.join("\n")}</script>`;
}

const NEWLINE = 10;

/** A row is a number in hex, a colon, and text up to the end of the line; after a "T", as many bytes as it says. */
function splitRows(stream: Buffer): string[] {
  const rows: string[] = [];
  for (let at = 0; at < stream.length;) {
    const [number = "", length] =
      /^[0-9a-f]*:(?:T([0-9a-f]+),)?/.exec(stream.toString("latin1", at, at + 40)) ?? [];
    const from = at + number.length;
    const lineEnd = stream.indexOf(NEWLINE, from);
    const to = length === undefined ? lineEnd : from + Number.parseInt(length, 16);
    const end = to < from ? stream.length : to;
    rows.push(stream.toString("utf8", from, end));
    at = stream[end] === NEWLINE ? end + 1 : end;
  }
  return rows;
}
