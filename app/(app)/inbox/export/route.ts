import { headers } from "next/headers";
import { filtersOf, matchingIn, rowsOfForm } from "#components/triage/rows-of-form.ts";
import { callOperation } from "#lib/http/endpoint.ts";
import { isCrossSite } from "#lib/http/cross-site-guard.ts";
import { sameSitePath } from "#lib/http/next-path.ts";
import { smallForm } from "#lib/http/small-form.ts";
import { seeOther } from "#lib/http/upload-form.ts";
import { describeError } from "#lib/operation/errors.ts";
import { exportChosenIncidents, exportMatchingIncidents } from "#lib/triage/operations.ts";

const LARGEST_FORM_BYTES = 64 * 1024;

/** The ticked rows of the list, or all that match, as a file. What can't be exported leads back to the list, which says so. */
export async function POST(request: Request): Promise<Response> {
  const form = await smallForm(request, LARGEST_FORM_BYTES);
  if (!form) return seeOther("/inbox");
  const path = sameSitePath(form.get("path")) ?? "/inbox";
  const query = new URLSearchParams(String(form.get("view") ?? ""));
  if (isCrossSite("POST", await headers())) return seeOther(`${path}?${query}`);
  const all = form.get("all") !== null;
  const ids = all ? [] : (await rowsOfForm(form)).map(({ id }) => id);
  if (!all && ids.length === 0) return seeOther(`${path}?${query}`);
  const asked = all
    ? `export/matching?${new URLSearchParams(filtersOf(matchingIn(form)))}`
    : `export?ids=${ids.join(",")}`;
  const given = new Request(new URL(`/inbox/${asked}`, request.url), {
    headers: request.headers,
    signal: request.signal,
  });
  try {
    const calling = { params: Promise.resolve({}), cookies: [] };
    const operation = all ? exportMatchingIncidents : exportChosenIncidents;
    return (await callOperation(operation, given, calling)) as Response;
  } catch (error) {
    const { code } = describeError(error);
    if (code === "UNAUTHENTICATED") return seeOther(`/login?next=${encodeURIComponent(path)}`);
    const meant = all ? (await rowsOfForm(form).catch(() => [])).map(({ id }) => id) : ids;
    query.set("done", "0");
    query.set("failed", meant.map((id) => `${id}:${code === "NOT_FOUND" ? code : "OTHER"}`).join(","));
    return seeOther(`${path}?${query}`);
  }
}

/** Somebody who reloads the address of the form is sent to the list. */
export async function GET(): Promise<Response> {
  return seeOther("/inbox");
}
