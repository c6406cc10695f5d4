import clsx from "clsx";
import type { ReactNode } from "react";
import { useLocale, useTranslator } from "#i18n";

type Definition = { term: string; value: ReactNode };

type Props = {
  items: readonly Definition[];
  /** Shown for values that are null, undefined or blank. */
  empty?: string;
  /** Gives the one line that names the terms of all blank values, in place of a row for each. */
  collapseBlank?: (terms: string) => string;
  /** "stacked" puts each value under its term, for narrow columns. */
  layout?: "rows" | "stacked";
};

/** Terms and values. Missing values are named as missing, in gray. */
export function DefinitionList({ items, empty, collapseBlank, layout = "rows" }: Props) {
  const t = useTranslator("ui");
  const locale = useLocale();
  const shown = collapseBlank ? items.filter(({ value }) => !isBlank(value)) : items;
  const list = (
    <dl className={clsx("grid", layout === "stacked" ? "gap-4" : "divide-y divide-line")}>
      {shown.map(({ term, value }) => (
        <div
          key={term}
          className={clsx(
            layout === "rows" &&
              "grid gap-x-6 gap-y-0.5 py-3 first:pt-0 last:pb-0 sm:grid-cols-[12rem_minmax(0,1fr)]",
          )}
        >
          <dt className="text-sm text-muted">{term}</dt>
          <dd className="min-w-0 wrap-anywhere">
            {isBlank(value) ? <span className="text-muted italic">{empty ?? t("notGiven")}</span> : value}
          </dd>
        </div>
      ))}
    </dl>
  );
  if (!collapseBlank || shown.length === items.length) return list;
  return (
    <div className="grid gap-3">
      {list}
      <p className="text-sm text-muted">{collapseBlank(formatBlankTerms(items, locale))}</p>
    </div>
  );
}

const formatBlankTerms = (items: readonly Definition[], locale: string): string =>
  new Intl.ListFormat(locale, { type: "unit" }).format(
    items.filter(({ value }) => isBlank(value)).map(({ term }) => term),
  );

function isBlank(value: ReactNode): boolean {
  return value === null || value === undefined || (typeof value === "string" && value.trim() === "");
}
