import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import S3rver from "s3rver";
import { removeFolder } from "./remove-folder.ts";

/** An S3-compatible server on this machine, with its buckets in a folder of its own. */
export class ObjectStorage {
  readonly port: number;
  readonly #server: S3rver;
  readonly #folder: string;

  private constructor(server: S3rver, { port, folder }: { port: number; folder: string }) {
    this.#server = server;
    this.port = port;
    this.#folder = folder;
  }

  static async start(buckets: readonly string[] = ["heed"]): Promise<ObjectStorage> {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-buckets-"));
    const configureBuckets = buckets.map((name) => ({ name, configs: [] }));
    const options = { port: 0, address: "127.0.0.1", silent: true, directory: folder, configureBuckets };
    const server = new S3rver(options);
    const { port } = await server.run();
    return new ObjectStorage(server, { port, folder });
  }

  /**
   * Returns an S3_URL for a bucket, or for a prefix in one. @param key a key that the server doesn't know is refused
   */
  url(bucket = "heed", key = "S3RVER"): string {
    return `http://${key}:S3RVER@127.0.0.1:${this.port}/${bucket}`;
  }

  /** The keys of all objects in the bucket `heed`. */
  get keys(): string[] {
    const names = fs.readdirSync(path.join(this.#folder, "heed"), { recursive: true }).map(String);
    return names.flatMap((name) => /([0-9a-f-]{36})\._S3rver_object$/.exec(name)?.[1] ?? []);
  }

  async close(): Promise<void> {
    await this.#server.close();
    removeFolder(this.#folder);
  }
}
