import { AppError } from "#lib/operation/errors.ts";

const NOT_INSPECTED_DETAILS =
  "We couldn't check it for hidden data, which may show who you are. It may be damaged, password-protected or too large, or contain other files. Send a document as PDF without a password or a picture as JPEG or PNG, leave the file out, or report with your name. Nothing was saved.";
const NOT_CLEANABLE_DETAILS =
  "We can't remove hidden data from this kind of file, and it may show who you are. Send a document as PDF or a picture as JPEG or PNG, leave the file out, or report with your name. Nothing was saved.";

/** Creates the error for a file of an anonymous report that wasn't cleaned of hidden data. */
export const createHiddenDataError = (
  state: "not_inspected" | "not_cleanable",
  fileLabel: string,
): AppError =>
  new AppError(
    "UNSUPPORTED_FILE_TYPE",
    `${fileLabel} can't be sent anonymously.`,
    state === "not_inspected" ? NOT_INSPECTED_DETAILS : NOT_CLEANABLE_DETAILS,
  );
