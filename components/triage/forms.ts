import type { Severity } from "#lib/incidents/schema.ts";
import type { BulkAction, MatchingRows } from "./deeds.ts";

/** What the forms of the list mean, for a page with script. */

/** What stands in a choice before somebody has chosen: it means no severity at all, not even that none is set. */
export const UNCHOSEN_SEVERITY = "choose";

/** The choice of a severity that is pressed for without one. */
export function findUnchosenSeverity(
  form: HTMLFormElement,
  button: HTMLElement | null,
): HTMLElement | undefined {
  const choice = form.elements.namedItem("severity");
  const asks = button instanceof HTMLButtonElement && button.value === "severity";
  return asks && choice instanceof HTMLSelectElement && choice.value === UNCHOSEN_SEVERITY
    ? choice
    : undefined;
}

/** What the pressed button of the form does; undefined for what the form sends by itself. */
export function readBulkAction(form: HTMLFormElement, button: HTMLElement | null): BulkAction | undefined {
  const formData = new FormData(form);
  const value = button instanceof HTMLButtonElement ? button.value : "";
  const [name = "", to] = (value.split("~", 1)[0] ?? "").split(":");
  switch (name) {
    case "assign":
      return { do: "assign", to: to ?? String(formData.get("to") ?? "") };
    case "severity":
      return { do: "severity", severity: String(formData.get("severity") ?? "") as Severity | "" };
    case "acknowledge":
    case "pin":
    case "unpin":
      return { do: name };
    default:
      return undefined;
  }
}

/** All that match, where that is ticked; undefined where only the ticked rows are meant. */
export function readAllMatching(form: HTMLFormElement): (MatchingRows & { total: number }) | undefined {
  const formData = new FormData(form);
  if (!formData.get("all")) return undefined;
  return {
    query: String(formData.get("view") ?? ""),
    event: String(formData.get("event") ?? ""),
    total: Number(formData.get("total")),
  };
}

/** The address of the list with what the filter form holds, several values of a name with commas between. */
export function buildListAddress(form: HTMLFormElement): string {
  const formData = new FormData(form);
  const query = new URLSearchParams();
  for (const name of new Set(formData.keys())) {
    const values = formData.getAll(name).filter((value) => value !== "");
    if (values.length > 0) query.set(name, values.join(","));
  }
  const path = new URL(form.action).pathname;
  return query.size > 0 ? `${path}?${query}` : path;
}
