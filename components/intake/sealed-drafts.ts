/**
 * Reports that were finished without a connection, and are sent once there is one (docs/decisions/062). They are sealed
 * to a key of which this device has the public half: it can count and send them, and not read them.
 */

import { createSealedDraftsCookie } from "#lib/design/sealed-draft-cookie.ts";

/**
 * Prefix of the keys under which a device of the team stores reports that were taken without a connection. Neither
 * signing out nor the quick exit deletes them: the device can't open them, and their reporters may hold the receipt
 * already.
 */
const SEALED_DRAFT_KEY_PREFIX = "heed-intake:";

/** The key and receipts that the service provides for the next reports (contract 14.4); kept in memory only. */
export type OfflineIntakeKeyAndReceipts = { key: string; drafts: { draft: string; receipt: string }[] };

type StoredSealedDraft = { slug: string; sealed: string; refused?: true };

/** Separates this use of the shared secret from any other; the service uses the same text (lib/intake/offline.ts). */
const SEALING_INFO = "heed offline draft";
const CURVE = { name: "ECDH", namedCurve: "P-256" };
const NONCE_BYTES = 12;

/** Returns whether the browser can seal: on HTTPS and localhost. */
export const canSealDrafts = (): boolean => window.isSecureContext && "subtle" in crypto;

/** Fetches the kit for the next reports; null without a connection, and if it is lost before the kit has arrived. */
export async function fetchOfflineIntakeKit(slug: string): Promise<OfflineIntakeKeyAndReceipts | null> {
  const response = await fetch(`/api/events/slug/${slug}/intakes/offline-kit`).catch(() => null);
  if (!response?.ok) return null;
  return (response.json() as Promise<OfflineIntakeKeyAndReceipts>).catch(() => null);
}

/** Seals a finished report. The private half of the key pair is forgotten at once. */
export async function sealIntakeDraft(kitKey: string, content: object): Promise<string> {
  const { subtle } = crypto;
  const recipient = await subtle.importKey("raw", decodeBase64Url(kitKey), CURVE, false, []);
  const sender = await subtle.generateKey(CURVE, false, ["deriveBits"]);
  const secret = await subtle.deriveBits({ name: "ECDH", public: recipient }, sender.privateKey, 256);
  const senderKey = new Uint8Array(await subtle.exportKey("raw", sender.publicKey));
  const key = await subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: senderKey, info: new TextEncoder().encode(SEALING_INFO) },
    await subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]),
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt"],
  );
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const text = new TextEncoder().encode(JSON.stringify(content));
  const sealed = new Uint8Array(await subtle.encrypt({ name: "AES-GCM", iv: nonce }, key, text));
  return [senderKey, nonce, sealed].map(encodeBase64Url).join(".");
}

const encodeBase64Url = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

const decodeBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
    character.charCodeAt(0),
  );

/**
 * Lists the sealed drafts of a person on this device.
 * @param owner a name that doesn't reveal the person
 */
export function listSealedDrafts(owner: string): StoredSealedDraft[] {
  try {
    return JSON.parse(localStorage.getItem(SEALED_DRAFT_KEY_PREFIX + owner) ?? "[]") as StoredSealedDraft[];
  } catch {
    return [];
  }
}

/** Stores a sealed draft; returns false if the browser can't. */
export const storeSealedDraft = (owner: string, draft: StoredSealedDraft): boolean =>
  writeDrafts(owner, [...listSealedDrafts(owner), draft]);

export const deleteRefusedSealedDrafts = (owner: string): boolean =>
  writeDrafts(
    owner,
    listSealedDrafts(owner).filter(({ refused }) => !refused),
  );

/** Has the refused drafts sent again: the service may open what it refused, and someone else may have signed in. */
export const retryRefusedSealedDrafts = (owner: string): boolean =>
  writeDrafts(
    owner,
    listSealedDrafts(owner).map(({ slug, sealed }) => ({ slug, sealed })),
  );

function writeDrafts(owner: string, drafts: readonly StoredSealedDraft[]): boolean {
  try {
    if (drafts.length === 0) localStorage.removeItem(SEALED_DRAFT_KEY_PREFIX + owner);
    else localStorage.setItem(SEALED_DRAFT_KEY_PREFIX + owner, JSON.stringify(drafts));
    updateSealedDraftsCookie();
    return true;
  } catch {
    return false;
  }
}

/** Says in a cookie whether anybody's drafts wait on this device; without storage, leaves it as it is. */
export function updateSealedDraftsCookie(): void {
  try {
    const areStored = Object.keys(localStorage).some((key) => key.startsWith(SEALED_DRAFT_KEY_PREFIX));
    document.cookie = createSealedDraftsCookie(areStored);
  } catch {
    // The browser allows no storage.
  }
}

/**
 * The result of sending drafts: how many were sent, how many the service already had from an earlier attempt, and
 * whether the person is signed out.
 */
export type SendSealedDraftsResult = { sent: number; sentBefore: number; signedOut: boolean };

/** No response, and statuses that every other draft would have as well: too many requests, and a service at a stop. */
const STATUSES_FOR_ALL_DRAFTS = [0, 429, 503];

/**
 * Sends the drafts one after the other. Removes a draft once the service confirms that it has the report, from this
 * attempt (201) or an earlier one (409). Keeps a draft that the service can't open (400), and flags it as refused.
 * Keeps a draft with any other status for a later attempt: its event refuses it (403, 404), or it is too long for what
 * lies between (413). Stops when the person is signed out (401), and where no draft would arrive.
 */
export async function sendSealedDrafts(owner: string): Promise<SendSealedDraftsResult> {
  const outcome = { sent: 0, sentBefore: 0 };
  for (const draft of listSealedDrafts(owner)) {
    if (draft.refused) continue;
    const status = await postDraft(draft);
    if (status === 401) return { ...outcome, signedOut: true };
    if (STATUSES_FOR_ALL_DRAFTS.includes(status)) break;
    if (![201, 400, 409].includes(status)) continue;
    const others = listSealedDrafts(owner).filter(({ sealed }) => sealed !== draft.sealed);
    writeDrafts(owner, status === 400 ? [...others, { ...draft, refused: true }] : others);
    if (status === 201) outcome.sent += 1;
    if (status === 409) outcome.sentBefore += 1;
  }
  return { ...outcome, signedOut: false };
}

/** @returns the status of the response; 0 without one */
async function postDraft({ slug, sealed }: StoredSealedDraft): Promise<number> {
  const response = await fetch(`/api/events/slug/${slug}/intakes/sealed`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ sealed }),
  }).catch(() => null);
  return response?.status ?? 0;
}
