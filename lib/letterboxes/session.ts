import { z } from "zod";
import { defineSealedCookie } from "#lib/crypto/sealed-cookie.ts";

/**
 * The cookie of an opened letterbox. Like a mailbox's, it is sealed and stored nowhere else. It ends after 30 minutes,
 * and once the letterbox is closed or has a new code.
 */
export const letterboxCookie = defineSealedCookie(
  { name: "letterbox", member: "l", seconds: 30 * 60 },
  z.object({ letterboxId: z.uuid(), codeHash: z.string() }),
);
