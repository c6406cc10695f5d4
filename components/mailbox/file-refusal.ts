import { serializeErrorTextKeyAndNumbers, type AppError } from "#lib/operation/errors.ts";

/** Returns the code in the page's address for the reason why files weren't added to a mailbox or letterbox. */
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
