import { createSeeOtherResponse, submitUploadForm } from "#lib/http/upload-form.ts";
import { createLetterboxFiles } from "#lib/letterboxes/operations.ts";
import { describeFileRefusal } from "#components/mailbox/file-refusal.ts";

/** Takes the form that adds files, also without script, and returns to the letterbox, which says how it went. */
export async function POST(request: Request): Promise<Response> {
  const sent = await submitUploadForm(createLetterboxFiles, request, { params: Promise.resolve({}) });
  const result = sent.ok ? "done=files" : describeFileRefusal(sent.error);
  return createSeeOtherResponse(`/letterbox?${result}#files`, sent.cookies);
}
