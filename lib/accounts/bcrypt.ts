/** bcrypt as one of two packages computes it; both write and read the same hashes. */
export type Bcrypt = {
  library: "@node-rs/bcrypt" | "bcryptjs";
  hash: (password: string, cost: number) => string;
  matches: (password: string, hash: string) => boolean;
};

type NativeBcrypt = Pick<typeof import("@node-rs/bcrypt"), "hashSync" | "verifySync">;

const importNative = async (): Promise<NativeBcrypt> => (await import("@node-rs/bcrypt")).default;

/** Native code, or JavaScript where the package has no binary that runs here. */
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
