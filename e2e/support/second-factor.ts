import { generateSync } from "otplib";
import { generateTotpSecret } from "#lib/accounts/totp.ts";
import { sealText } from "#lib/crypto/sealed-text.ts";
import type { TestPerson, TestWorld } from "./world.ts";

/** Two-factor codes, as an authenticator app generates them. */

/** Generates the current code, or that of a later step of 30 seconds. */
export const generateCode = (secret: string, stepsLater = 0): string =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + 30 * stepsLater });

/** Generates a code that isn't valid for the secret now. */
export function generateWrongCode(secret: string): string {
  const near = [-2, -1, 0, 1, 2].map((steps) => generateCode(secret, steps));
  return (
    ["000000", "111111", "222222", "333333", "444444", "555555"].find((code) => !near.includes(code)) ?? ""
  );
}

/** Inserts a second factor into the database; one that waits for its first code unless it is `on`. */
export async function insertSecondFactor(
  world: TestWorld,
  { id }: TestPerson,
  { secret = generateTotpSecret(), state = "on" }: { secret?: string; state?: "on" | "waiting" } = {},
): Promise<string> {
  await world.service.sql(
    "insert into second_factors (user_id, secret, confirmed_at) values ($1, $2, case when $3 then now() end)",
    [id, Buffer.from(sealText(`second-factor:${id}`, secret)), state === "on"],
  );
  return secret;
}
