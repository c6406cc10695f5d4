import { serializeErrorTextKeyAndNumbers, type AppError } from "#lib/operation/errors.ts";

/**
 * Builds the query string that tells the page of a mailbox why files weren't added, and which file was
 * refused.
 */
export function buildFileRefusalQuery(error: AppError): string {
  const number = /; number=(\d+)/.exec(serializeErrorTextKeyAndNumbers(error))?.[1];
  return `done=${chooseResult(error)}${number ? `&file=${number}` : ""}`;
}

function chooseResult({ code }: AppError): string {
  if (code === "UNAUTHENTICATED") return "expired";
  if (code === "VALIDATION_ERROR") return "filesNone";
  if (code === "UNSUPPORTED_FILE_TYPE") return "filesType";
  return code === "PAYLOAD_TOO_LARGE" || code === "QUOTA_EXCEEDED" ? "filesSize" : "filesLater";
}
