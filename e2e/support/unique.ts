import { randomBytes } from "node:crypto";

/** A word that nothing else in the run has. */
export const uniqueWord = (): string => randomBytes(5).toString("hex");
