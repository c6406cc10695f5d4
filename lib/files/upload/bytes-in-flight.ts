import { createFileInspectionBusyError } from "#lib/files/cleaning/inspection-queue.ts";
import { env } from "#lib/env.ts";
import { processWide } from "#lib/process-wide.ts";

/** The part of all bytes that those of one sender may be. */
const SENDER_SHARE = 1 / 4;

/** The bytes of one request that are in a temporary folder. */
export type RequestBytes = {
  /** Counts bytes before they are stored. @throws AppError SERVICE_UNAVAILABLE when there is no space for them */
  add(bytes: number): void;
  /** Takes all of them off the count. Calling it again is not an error. */
  release(): void;
};

/**
 * Counts the bytes of files that requests hold in temporary folders while they are received and inspected: of one
 * sender, so that slow uploads of a few connections don't fill the disk, and in all. In memory only.
 */
export class BytesInFlight {
  readonly #max: number;
  readonly #bySender = new Map<string, number>();
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  open(sender: string): RequestBytes {
    let own = 0;
    return {
      add: (bytes) => {
        const ofSender = (this.#bySender.get(sender) ?? 0) + bytes;
        if (ofSender > this.#max * SENDER_SHARE || this.#total + bytes > this.#max)
          throw createFileInspectionBusyError();
        own += bytes;
        this.#count(sender, bytes);
      },
      release: () => {
        this.#count(sender, -own);
        own = 0;
      },
    };
  }

  #count(sender: string, bytes: number): void {
    const left = (this.#bySender.get(sender) ?? 0) + bytes;
    if (left > 0) this.#bySender.set(sender, left);
    else this.#bySender.delete(sender);
    this.#total += bytes;
  }
}

/** Opens the count of a request. @param sender the signed-in person, or the address of anybody else */
export const openRequestBytes = (sender: string): RequestBytes =>
  processWide("bytes in flight", () => new BytesInFlight(env().UPLOADS_IN_FLIGHT_MB * 1024 ** 2)).open(
    sender,
  );
