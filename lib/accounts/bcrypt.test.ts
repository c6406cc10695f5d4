import { describe, expect, it } from "vitest";
import { type Bcrypt, loadBcrypt, matchesPasswordAtEqualCost } from "./bcrypt.ts";

const native = await loadBcrypt();
const plain = await loadBcrypt(() => Promise.reject(new Error("no binary for this system")));

/** bcrypt's lowest cost: enough to show that both libraries agree. */
const COST = 4;

describe("bcrypt", () => {
  it("is native where its binary loads, and JavaScript where it doesn't", () => {
    expect([native.library, plain.library]).toEqual(["@node-rs/bcrypt", "bcryptjs"]);
  });

  it.each([
    ["native", "JavaScript", native, plain],
    ["JavaScript", "native", plain, native],
  ])("hashes made by %s are read by %s", (_, __, maker, reader) => {
    for (const password of ["seven small lanterns", "", "é".repeat(36), "x".repeat(72), " 🪷 ‏\\\"'\n"]) {
      const hash = maker.hash(password, COST);
      expect(hash).toMatch(/^\$2b\$04\$[./A-Za-z0-9]{53}$/);
      expect(reader.matches(password, hash)).toBe(true);
      expect(reader.matches(`!${password.slice(1)}`, hash)).toBe(false);
      expect(reader.matches(password, hash.replace("$2b", "$2a"))).toBe(true);
    }
  });

  it.each([12, 13, 14, 15])("does the work of the current cost for a hash of cost %i", (hashCost) => {
    let work = 0;
    const counting: Bcrypt = {
      ...plain,
      hash: (_, cost) => ((work += 2 ** cost), ""),
      matches: (_, hash) => ((work += 2 ** Number(hash.slice(4, 6))), true),
    };
    expect(matchesPasswordAtEqualCost(counting, "", { hash: `$2b$${hashCost}$`, cost: 14 })).toBe(true);
    expect(work).toBe(2 ** Math.max(hashCost, 14));
  });

  it("tells a wrong password from the right one at a higher cost than that of the hash", () => {
    const hash = native.hash("seven small lanterns", COST);
    const check = (password: string) =>
      matchesPasswordAtEqualCost(native, password, { hash, cost: COST + 2 });
    expect([check("seven small lanterns"), check("seven small lantern")]).toEqual([true, false]);
  });

  it("reads the same hash of another service by both", () => {
    // From the test vectors of OpenBSD's bcrypt.
    const hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
    for (const { matches } of [native, plain]) {
      expect(matches("U*U", hash)).toBe(true);
      expect(matches("U*V", hash)).toBe(false);
      expect(matches("U*U", "no hash at all")).toBe(false);
    }
  });
});
