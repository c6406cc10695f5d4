import { describeFileRefusal } from "#components/mailbox/file-refusal.ts";
import { submitUploadForm, createSeeOtherResponse } from "#lib/http/upload-form.ts";
import { createMailboxFiles } from "#lib/mailbox/operations.ts";

/** Takes the form that adds files, also without script, and returns to the mailbox, which says how it went. */
export async function POST(request: Request): Promise<Response> {
  const sent = await submitUploadForm(createMailboxFiles, request, { params: Promise.resolve({}) });
  if (sent.ok) return createSeeOtherResponse("/mailbox?done=files#files", sent.cookies);
  return createSeeOtherResponse(`/mailbox?${describeFileRefusal(sent.error)}#files`, sent.cookies);
}
