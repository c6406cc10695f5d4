import type { ErrorTerm } from "#lib/i18n/error-text.ts";
import { AppError } from "#lib/operation/errors.ts";

/** Creates the error for a file of an anonymous report that wasn't cleaned of hidden data. */
export const createFileNotCleanedError = (
  state: "not_inspected" | "not_cleanable",
  fileLabel: ErrorTerm,
): AppError =>
  new AppError("UNSUPPORTED_FILE_TYPE", state === "not_inspected" ? "fileNotInspected" : "fileNotCleanable", {
    file: fileLabel,
  });
