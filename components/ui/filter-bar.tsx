import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { Button } from "./button.tsx";
import { type FieldOption, SelectField, TextField } from "./field.tsx";
import { Icon } from "./icon.tsx";
import { Link, TextLink } from "./link.tsx";

export type AppliedFilterData = { label: string; /** URL of the list without this filter. */ href: string };

type Props = {
  /** Path of the list. The form uses GET, so the URL holds the whole view. */
  action: string;
  label: string;
  /** Other query parameters to preserve, such as the sort order. */
  keep?: Record<string, string | undefined>;
  applied?: readonly AppliedFilterData[];
  /** The list without any filter. */
  clearHref?: string;
  submitLabel?: string;
  children: ReactNode;
};

/** Search and filters of a list, with the applied ones as removable chips. */
export function FilterBar({
  action,
  label,
  keep = {},
  applied = [],
  clearHref,
  submitLabel,
  children,
}: Props) {
  const t = useTranslator("ui");
  return (
    <div className="grid gap-3">
      <form
        action={action}
        method="get"
        role="search"
        aria-label={label}
        className="flex flex-wrap items-end gap-3"
      >
        {Object.entries(keep).map(
          ([name, value]) => value && <input key={name} type="hidden" name={name} value={value} />,
        )}
        {children}
        <Button type="submit">{submitLabel ?? t("applyFilters")}</Button>
      </form>
      {applied.length > 0 && <AppliedFilters items={applied} clearHref={clearHref} />}
    </div>
  );
}

type SearchProps = { label: string; value: string | undefined };

export function FilterSearchField({ label, value }: SearchProps) {
  return (
    <div className="relative min-w-0 basis-full sm:min-w-56 sm:grow sm:basis-64 [&_input]:ps-10">
      <TextField
        type="search"
        name="search"
        label={label}
        defaultValue={value}
        maxLength={200}
        markOptional={false}
      />
      <Icon as="search" className="pointer-events-none absolute start-3 bottom-3 text-muted" />
    </div>
  );
}

type SelectProps = {
  name: string;
  label: string;
  value?: string;
  /** Label for "no filter". */ any: string;
  options: readonly FieldOption[];
};

/** A filter with fixed values. */
export function FilterSelectField({ name, label, value, any, options }: SelectProps) {
  return (
    <div className="min-w-36 grow basis-36 sm:max-w-52">
      <SelectField
        name={name}
        label={label}
        prompt={any}
        options={options}
        defaultValue={value}
        markOptional={false}
      />
    </div>
  );
}

export function FilterDateField({ name, label, value }: Pick<SelectProps, "name" | "label" | "value">) {
  return (
    <div className="min-w-36 grow basis-36 sm:max-w-52">
      <TextField
        type="date"
        name={name}
        label={label}
        defaultValue={value}
        min="1900-01-01"
        max="2100-12-31"
        markOptional={false}
      />
    </div>
  );
}

function AppliedFilters({ items, clearHref }: { items: readonly AppliedFilterData[]; clearHref?: string }) {
  const t = useTranslator("ui");
  return (
    <ul aria-label={t("appliedFilters")} className="flex flex-wrap items-center gap-2">
      {items.map((item) => (
        <li key={item.label} className="min-w-0 max-w-full">
          <Link
            href={item.href}
            aria-label={t("removeFilter", { filter: item.label })}
            className="inline-flex min-h-11 max-w-full items-center gap-2 rounded-control border border-accent/30 bg-accent-soft px-3 text-accent-hover hover:border-accent"
          >
            <span className="truncate">{item.label}</span>
            <Icon as="x" size={16} />
          </Link>
        </li>
      ))}
      {clearHref && (
        <li>
          <TextLink href={clearHref} className="inline-flex min-h-11 items-center px-2">
            {t("clearAll")}
          </TextLink>
        </li>
      )}
    </ul>
  );
}
