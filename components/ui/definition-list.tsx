import clsx from "clsx";
import type { ReactNode } from "react";
import { useTranslator } from "#i18n";

type Definition = { term: string; value: ReactNode };

type Props = {
  items: readonly Definition[];
  /** Shown for values that are null, undefined or blank. */
  empty?: string;
  /** "stacked" puts each value under its term, for narrow columns. */
  layout?: "rows" | "stacked";
};

/** Terms and values. Missing values are named as missing, in gray. */
export function DefinitionList({ items, empty, layout = "rows" }: Props) {
  const t = useTranslator("ui");
  return (
    <dl className={clsx("grid", layout === "stacked" ? "gap-4" : "divide-y divide-line")}>
      {items.map(({ term, value }) => (
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
}

function isBlank(value: ReactNode): boolean {
  return value === null || value === undefined || (typeof value === "string" && value.trim() === "");
}
