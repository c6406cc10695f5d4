/** The part of libheif-js that picture-copy.ts uses; the package ships no types for this path. */
declare module "libheif-js/libheif-wasm/libheif-bundle.mjs" {
  type Picture = { data: Uint8ClampedArray; width: number; height: number };

  type HeifImage = {
    get_width(): number;
    get_height(): number;
    /** Whether this is the main picture of a file with several. */
    is_primary(): boolean;
    /** Decodes into `target.data` as RGBA; calls back with null on failure. */
    display(target: Picture, done: (shown: Picture | null) => void): void;
    free(): void;
  };

  export type Libheif = { HeifDecoder: new () => { decode(bytes: Uint8Array): HeifImage[] } };
  export default function libheif(): Libheif | Promise<Libheif>;
}
