import { createDecipheriv, createECDH, hkdfSync, randomBytes, type ECDH } from "node:crypto";
import { computeKeyedHash } from "#lib/crypto/keyed-hash.ts";
import { createReceiptCode } from "#lib/crypto/receipt.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { DEFAULT_LOCALE, type Locale } from "#lib/i18n/locales.ts";
import type { IntakeContext } from "#lib/intake/intakes.ts";
import { parseSealedDraft, type SealedIntakeDraft } from "#lib/intake/sealed-report.ts";
import { InvalidInputError } from "#lib/operation/errors.ts";

/**
 * Drafts that a device writes without a connection. They are sealed to a key of which the device has the public half
 * only, so a lost phone shows none of them (docs/decisions/062). The key belongs to one taker at one event.
 */

type Owner = Pick<IntakeContext, "eventId"> & { actor: { id: string; locale?: Locale | null } };

const CURVE = "prime256v1";
const DRAFTS_PER_KIT = 8;
const DRAFT_NAME_BYTES = 16;
const TAG_BYTES = 16;
/** Separates this use of the shared secret from any other; the page seals with the same text. */
const SEALING_INFO = "heed offline draft";

/**
 * Creates the public key, draft names and receipts that a device needs to take its next reports without a connection.
 * The service stores none of them.
 */
export const createOfflineIntakeKit = (owner: Owner) => ({
  key: deriveKeyPair(owner).getPublicKey("base64url"),
  drafts: Array.from({ length: DRAFTS_PER_KIT }, () => {
    const draft = randomBytes(DRAFT_NAME_BYTES).toString("base64url");
    return { draft, receipt: deriveOfflineDraftReceipt(owner, draft) };
  }),
});

/**
 * Derives the receipt that was handed over with a draft. It can't be computed without the draft's name and the data
 * key.
 */
export const deriveOfflineDraftReceipt = ({ actor, eventId }: Owner, draft: string): string =>
  createReceiptCode(`offline draft ${actor.id} ${eventId} ${draft}`);

/** Hashes a draft's name: the hash is stored, so that the draft is filed once. */
export const hashDraftName = ({ actor, eventId }: Owner, draft: string): Uint8Array<ArrayBuffer> =>
  computeKeyedHash("offline draft", `${actor.id} ${eventId} ${draft}`);

/**
 * Opens a draft that was sealed for this taker and event, and repairs its report.
 * @throws InvalidInputError when it was sealed for somebody else, was damaged, or isn't a report
 */
export function decryptOfflineIntakeDraft(owner: Owner, sealed: string): SealedIntakeDraft {
  const draft = parseSealedDraft(tryOpen(owner, sealed), owner.actor.locale ?? DEFAULT_LOCALE);
  if (draft === null) throw new InvalidInputError({ sealed: createFieldProblem("draftNotOpened") });
  return draft;
}

function tryOpen(owner: Owner, sealed: string): unknown {
  const [senderKey, nonce, content] = sealed.split(".").map((part) => Buffer.from(part, "base64url"));
  if (!senderKey || !nonce || !content || content.length <= TAG_BYTES) return null;
  try {
    const secret = deriveKeyPair(owner).computeSecret(senderKey);
    const key = Buffer.from(hkdfSync("sha256", secret, senderKey, SEALING_INFO, 32));
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(content.subarray(-TAG_BYTES));
    const text = Buffer.concat([decipher.update(content.subarray(0, -TAG_BYTES)), decipher.final()]);
    return JSON.parse(text.toString("utf8"));
  } catch {
    return null;
  }
}

/**
 * Derives the key pair that seals the reports that a team member takes at an event, from the data key. Tries again if a
 * hash isn't a valid private key (one in four billion).
 */
function deriveKeyPair({ actor, eventId }: Owner): ECDH {
  const pair = createECDH(CURVE);
  for (let attempt = 0; ; attempt += 1) {
    try {
      pair.setPrivateKey(
        Buffer.from(computeKeyedHash("offline draft key", `${actor.id} ${eventId} ${attempt}`)),
      );
      return pair;
    } catch {
      // Not a number below the order of the curve.
    }
  }
}
