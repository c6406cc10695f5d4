import type { Severity } from "#lib/incidents/schema.ts";
import type { BulkAction, MatchingRowsQuery } from "./bulk-actions.ts";

/** The forms of the list as script in the browser reads them. */

/** Value of the severity select before a choice: neither a severity nor "none". */
export const UNCHOSEN_SEVERITY = "choose";

/** Returns the severity select, if its button was pressed without a choice. */
export function findUnchosenSeveritySelect(
  form: HTMLFormElement,
  button: HTMLElement | null,
): HTMLElement | undefined {
  const choice = form.elements.namedItem("severity");
  const asks = button instanceof HTMLButtonElement && button.value === "severity";
  return asks && choice instanceof HTMLSelectElement && choice.value === UNCHOSEN_SEVERITY
    ? choice
    : undefined;
}

/** Returns the action of the pressed button; undefined for what the form submits itself. */
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

/** Reads the query for all matching rows if "all" is checked; undefined if the action is for checked rows only. */
export function readAllMatchingRowsQueryIfChecked(
  form: HTMLFormElement,
): (MatchingRowsQuery & { total: number }) | undefined {
  const formData = new FormData(form);
  if (!formData.get("all")) return undefined;
  return {
    query: String(formData.get("view") ?? ""),
    event: String(formData.get("event") ?? ""),
    total: Number(formData.get("total")),
  };
}

/** Returns the places of the rows whose checkboxes are checked in the page. */
export function readCheckedRowPlaces(): number[] {
  const form = document.querySelector<HTMLFormElement>("#bulk-form");
  return form ? new FormData(form).getAll("row").map(Number) : [];
}

/** Builds the list's URL from the filter form, joining several values of a name with commas. */
export function buildListUrlFromFilterForm(form: HTMLFormElement): string {
  const formData = new FormData(form);
  const query = new URLSearchParams();
  for (const name of new Set(formData.keys())) {
    const values = formData.getAll(name).filter((value) => value !== "");
    if (values.length > 0) query.set(name, values.join(","));
  }
  const path = new URL(form.action).pathname;
  return query.size > 0 ? `${path}?${query}` : path;
}
