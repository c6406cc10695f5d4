import type { AppError } from "#lib/operation/errors.ts";

/** Names the text that says why files weren't added to a mailbox or letterbox. */
export function describeFileRefusal({ code }: AppError): string {
  if (code === "UNAUTHENTICATED") return "expired";
  if (code === "VALIDATION_ERROR") return "filesNone";
  if (code === "UNSUPPORTED_FILE_TYPE") return "filesType";
  return code === "PAYLOAD_TOO_LARGE" || code === "QUOTA_EXCEEDED" ? "filesSize" : "filesLater";
}
