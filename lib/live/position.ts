import { sealText, tryUnsealText } from "#lib/crypto/sealed-text.ts";
import type { Actor } from "#lib/operation/policy.ts";

/**
 * Positions in the stream: times by the database's clock, in ms since 1970, sealed for their person. Whoever could choose
 * one would learn from what is replayed when a report or message arrived that nobody signed (docs/threat-model.md).
 */

const PURPOSE = "stream position";

export const sealPosition = ({ id }: Pick<Actor, "id">, at: number): string =>
  Buffer.from(sealText(PURPOSE, `${id} ${at}`)).toString("base64url");

/** Returns the time of a position; 0, from which nothing is replayed, for one that isn't the person's. */
export function openPosition({ id }: Pick<Actor, "id">, position: string): number {
  const [owner, at] = tryUnsealText(PURPOSE, Buffer.from(position, "base64url"))?.split(" ") ?? [];
  return owner === id ? Number(at) : 0;
}
