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
