import type { Severity } from "#lib/incidents/schema.ts";
import type { Deed, Matching } from "./deeds.ts";

/** What the forms of the list mean, for a page with script. */

/** What stands in a choice before somebody has chosen: it means no severity at all, not even that none is set. */
export const UNCHOSEN = "choose";

/** The choice of a severity that is pressed for without one. */
export function unchosenIn(form: HTMLFormElement, button: HTMLElement | null): HTMLElement | undefined {
  const choice = form.elements.namedItem("severity");
  const asks = button instanceof HTMLButtonElement && button.value === "severity";
  return asks && choice instanceof HTMLSelectElement && choice.value === UNCHOSEN ? choice : undefined;
}

/** What the pressed button of the form does; undefined for what the form sends by itself. */
export function deedOf(form: HTMLFormElement, button: HTMLElement | null): Deed | undefined {
  const given = new FormData(form);
  const value = button instanceof HTMLButtonElement ? button.value : "";
  const [name = "", to] = (value.split("~", 1)[0] ?? "").split(":");
  switch (name) {
    case "assign":
      return { do: "assign", to: to ?? String(given.get("to") ?? "") };
    case "severity":
      return { do: "severity", severity: String(given.get("severity") ?? "") as Severity | "" };
    case "acknowledge":
    case "pin":
    case "unpin":
      return { do: name };
    default:
      return undefined;
  }
}

/** All that match, where that is ticked; undefined where only the ticked rows are meant. */
export function allIn(form: HTMLFormElement): (Matching & { total: number }) | undefined {
  const given = new FormData(form);
  if (!given.get("all")) return undefined;
  return {
    query: String(given.get("view") ?? ""),
    event: String(given.get("event") ?? ""),
    total: Number(given.get("total")),
  };
}

/** The address of the list with what the filter form holds, several values of a name with commas between. */
export function addressOf(form: HTMLFormElement): string {
  const given = new FormData(form);
  const query = new URLSearchParams();
  for (const name of new Set(given.keys())) {
    const values = given.getAll(name).filter((value) => value !== "");
    if (values.length > 0) query.set(name, values.join(","));
  }
  const path = new URL(form.action).pathname;
  return query.size > 0 ? `${path}?${query}` : path;
}
