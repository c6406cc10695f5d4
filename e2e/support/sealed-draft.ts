import { createCipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";

/** Seals a draft with the key of an offline kit, like a page without a connection. */
export function sealDraft(kitKey: string, content: object): string {
  const sender = createECDH("prime256v1");
  const senderKey = sender.generateKeys();
  const secret = sender.computeSecret(Buffer.from(kitKey, "base64url"));
  const key = Buffer.from(hkdfSync("sha256", secret, senderKey, "heed offline draft", 32));
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const sealed = Buffer.concat([
    cipher.update(JSON.stringify(content), "utf8"),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return [senderKey, nonce, sealed].map((part) => part.toString("base64url")).join(".");
}
