/** bcrypt from one of two packages; both write and read the same hashes. */
export type Bcrypt = {
  library: "@node-rs/bcrypt" | "bcryptjs";
  hash: (password: string, cost: number) => string;
  matches: (password: string, hash: string) => boolean;
};

type NativeBcrypt = {
  hashSync: (password: string, cost: number) => string;
  verifySync: (password: string, hash: string) => boolean;
};

// Typed as `string` so that the compiler doesn't resolve the package: the code must compile without it.
const NATIVE_PACKAGE: string = "@node-rs/bcrypt";

const importNative = async (): Promise<NativeBcrypt> =>
  (await import(NATIVE_PACKAGE)).default as NativeBcrypt;

/**
 * Returns whether a password belongs to a hash. Checking a hash of a lower cost takes as long as one of `cost`: after
 * the operator has raised the cost, the time would otherwise tell an account with an old hash from an unknown account,
 * which is checked at the new cost. One extra hash per step makes up the difference: 2^12 + 2^12 + 2^13 = 2^14.
 */
export function matchesPasswordAtEqualCost(
  bcrypt: Bcrypt,
  password: string,
  { hash, cost }: HashOfCost,
): boolean {
  const matches = bcrypt.matches(password, hash);
  for (let step = Number(hash.split("$")[2]); step < cost; step += 1) bcrypt.hash(password, step);
  return matches;
}

type HashOfCost = { hash: string; cost: number };

/** Loads the native package, or the JavaScript one where the native package has no binary for this system. */
export async function loadBcrypt(load: () => Promise<NativeBcrypt> = importNative): Promise<Bcrypt> {
  try {
    const native = await load();
    return {
      library: "@node-rs/bcrypt",
      hash: (password, cost) => native.hashSync(password, cost),
      matches: (password, hash) => native.verifySync(password, hash),
    };
  } catch {
    const { default: bcrypt } = await import("bcryptjs");
    return {
      library: "bcryptjs",
      hash: (password, cost) => bcrypt.hashSync(password, cost),
      matches: (password, hash) => bcrypt.compareSync(password, hash),
    };
  }
}
