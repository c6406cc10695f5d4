import { buildButtonClass } from "#components/ui/button-class.ts";
import { IconWithoutScript } from "#components/ui/icon-without-script.tsx";
import { circleExclamationPointIcon, triangleExclamationPointIcon } from "#lib/design/icons.ts";
import { buildHrefWithQueryChanges } from "#lib/design/query.ts";
import { formatFieldProblem, type FieldProblem } from "#lib/i18n/error-text.ts";
import { labelFieldProblem } from "#lib/i18n/problems.ts";
import { useLocale, useTranslator } from "#i18n";

/**
 * Messages about invalid filters in the URL, for every page with filters. `definePage` imports this file on every page,
 * so it is plain markup: a client component would ship with each of them (docs/performance.md).
 */

/** Names the filters that the page ignores, without their values: the sender of a link could put any text there. */
export function IgnoredFiltersNotice({ filters }: { filters: readonly string[] }) {
  const t = useTranslator("shell");
  const count = filters.length;
  return (
    <div className="flex gap-3 rounded-surface border border-current/25 bg-caution-soft p-4 text-caution">
      <IconWithoutScript of={triangleExclamationPointIcon} className="mt-0.5" />
      <div className="grid min-w-0 max-w-[68ch] gap-1 text-ink">
        <p className="font-[650]">{t("leftOut.title", { count })}</p>
        <p>
          {t.rich("leftOut.text", {
            count,
            filters: () => (
              <code key="filters" dir="ltr" className="wrap-anywhere">
                {filters.join(" & ")}
              </code>
            ),
          })}
        </p>
      </div>
    </div>
  );
}

type SearchProps = {
  /** This page, with its query. */ path: string;
  /** The problem of the search text. */ problem: FieldProblem;
};

/** Replaces a list when the search text is invalid: shows the search field with the error, and no results. */
export function InvalidSearchNoticeAndForm({ path, problem }: SearchProps) {
  const t = useTranslator("shell");
  const { pathname, searchParams } = new URL(path, "http://here.invalid");
  const { search, page: _, ...rest } = Object.fromEntries(searchParams);
  return (
    <div className="grid max-w-[60ch] gap-5 py-6 sm:py-10">
      <h1 className="text-2xl text-balance sm:text-3xl">{t("search.refused")}</h1>
      <p className="text-lg text-muted">{t("search.nothing")}</p>
      <RefusedSearchForm pathname={pathname} preservedParams={rest} search={search} problem={problem} />
      <a
        href={buildHrefWithQueryChanges(pathname, rest, {})}
        className="text-link inline-flex min-h-11 items-center justify-self-start"
      >
        {t("search.without")}
      </a>
    </div>
  );
}

type RefusedSearchFormProps = {
  pathname: string;
  /** Other parameters of the page's query. */ preservedParams: Record<string, string>;
  search: string | undefined;
  problem: FieldProblem;
};

function RefusedSearchForm({ pathname, preservedParams, search, problem }: RefusedSearchFormProps) {
  const t = useTranslator("shell");
  const locale = useLocale();
  return (
    <form action={pathname} method="get" role="search" className="grid justify-items-start gap-3">
      {Object.entries(preservedParams).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <label htmlFor="search" className="font-[550]">
        {t("search.field")}
      </label>
      <p id="search-problem" className="flex gap-2 text-danger">
        <IconWithoutScript of={circleExclamationPointIcon} className="mt-0.5" />
        {labelFieldProblem(locale, t("search.field"), formatFieldProblem(locale, problem))}
      </p>
      <input
        id="search"
        type="search"
        autoComplete="off"
        name="search"
        dir="auto"
        defaultValue={search}
        aria-invalid="true"
        aria-describedby="search-problem"
        className="control"
      />
      <button type="submit" className={buildButtonClass()}>
        {t("search.field")}
      </button>
    </form>
  );
}
