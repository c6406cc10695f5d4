import { generateSync } from "otplib";
import { expect, test } from "vitest";
import { generateTotpSecret, buildTotpUriAndQrCode, findTotpStep } from "./totp.ts";

/** A fixed one: the codes of a random one could be equal by chance. */
const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
const NOW = 1_800_000_015;
const at = (epoch: number) => generateSync({ secret, epoch });

test("a code is right in its own step and the two beside it", () => {
  const step = Math.floor(NOW / 30);
  expect(findTotpStep(secret, at(NOW), NOW)).toBe(step);
  expect(findTotpStep(secret, at(NOW - 30), NOW)).toBe(step - 1);
  expect(findTotpStep(secret, at(NOW + 30), NOW)).toBe(step + 1);
  for (const far of [-90, -60, 60, 90]) expect(findTotpStep(secret, at(NOW + far), NOW)).toBeNull();
});

test.each(["", "12345", "1234567", "12345x", "１２３４５６", " 123456"])("%j is not a valid code", (code) => {
  expect(findTotpStep(secret, code, NOW)).toBeNull();
});

test("a secret has 160 bits and is never the same twice", () => {
  const [one, other] = [generateTotpSecret(), generateTotpSecret()];
  expect(one).toMatch(/^[A-Z2-7]{32}$/);
  expect(other).not.toBe(one);
});

test("an app reads the account and the service from the link and the image", async () => {
  const { uri, qr } = await buildTotpUriAndQrCode(secret, {
    issuer: "Heed: Riverside",
    email: "maya@example.org",
  });
  const read = new URL(uri);
  expect([read.protocol, read.host]).toEqual(["otpauth:", "totp"]);
  expect(decodeURIComponent(read.pathname)).toBe("/Heed Riverside:maya@example.org");
  expect(read.searchParams.get("secret")).toBe(secret);
  expect(read.searchParams.get("issuer")).toBe("Heed Riverside");
  expect(Buffer.from(qr.replace("data:image/svg+xml;base64,", ""), "base64").toString()).toMatch(/^<svg /);
});
