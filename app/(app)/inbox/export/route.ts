import { headers } from "next/headers";
import {
  parseMatchingRowsFilters,
  readMatchingRowsQueryFromForm,
  loadSelectedIncidentRowSnapshots,
} from "#components/triage/selected-rows.ts";
import { handleOperationHttpCall } from "#lib/http/endpoint.ts";
import { isCrossSiteRequest } from "#lib/http/cross-site-guard.ts";
import { getCurrentLocale } from "#lib/http/page.ts";
import { parseNextPath } from "#lib/http/next-path.ts";
import { readFormIfWithinLimit } from "#lib/http/small-form.ts";
import { createSeeOtherResponse } from "#lib/http/upload-form.ts";
import { toAppError } from "#lib/operation/errors.ts";
import { exportChosenIncidents, exportMatchingIncidents } from "#lib/analytics/operations.ts";

const MAX_EXPORT_FORM_BYTES = 64 * 1024;

/**
 * Exports the checked rows of the list, or all matching ones, as a file. On failure, redirects back to the
 * list, which shows the reason.
 */
export async function POST(request: Request): Promise<Response> {
  const form = await readFormIfWithinLimit(request, MAX_EXPORT_FORM_BYTES);
  if (!form) return createSeeOtherResponse("/inbox");
  const path = parseNextPath(form.get("path")) ?? "/inbox";
  const query = new URLSearchParams(String(form.get("view") ?? ""));
  if (isCrossSiteRequest("POST", await headers())) return createSeeOtherResponse(`${path}?${query}`);
  const all = form.get("all") !== null;
  const ids = all ? [] : (await loadSelectedIncidentRowSnapshots(form)).map(({ id }) => id);
  if (!all && ids.length === 0) return createSeeOtherResponse(`${path}?${query}`);
  const exportUrl = new URL("/inbox/export", request.url);
  exportUrl.search = String(
    new URLSearchParams({
      ...(all ? parseMatchingRowsFilters(readMatchingRowsQueryFromForm(form)) : { ids: ids.join(",") }),
      labels: await getCurrentLocale(),
    }),
  );
  const apiRequest = new Request(exportUrl, {
    headers: request.headers,
    signal: request.signal,
  });
  try {
    const routeContext = { params: Promise.resolve({}), cookies: [] };
    const operation = all ? exportMatchingIncidents : exportChosenIncidents;
    return (await handleOperationHttpCall(operation, apiRequest, routeContext)) as Response;
  } catch (error) {
    const { code } = toAppError(error);
    if (code === "UNAUTHENTICATED") return createSeeOtherResponse(`/login?next=${encodeURIComponent(path)}`);
    const exportedIds = all
      ? (await loadSelectedIncidentRowSnapshots(form).catch(() => [])).map(({ id }) => id)
      : ids;
    query.set("done", "0");
    query.set("failed", exportedIds.map((id) => `${id}:${code === "NOT_FOUND" ? code : "OTHER"}`).join(","));
    return createSeeOtherResponse(`${path}?${query}`);
  }
}

/** Redirects a person who reloads the form's URL to the list. */
export async function GET(): Promise<Response> {
  return createSeeOtherResponse("/inbox");
}
