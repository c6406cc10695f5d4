import { randomBytes } from "node:crypto";

/** Generates a word that nothing else in the test run contains. */
export const generateUniqueWord = (): string => randomBytes(5).toString("hex");
