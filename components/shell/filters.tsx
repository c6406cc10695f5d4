import { FilterBar, FilterSearch } from "#components/ui/filter-bar.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { hrefWith } from "#lib/design/query.ts";
import { fieldProblem, namedProblem } from "#lib/words/problems.ts";
import { useLocale, useWords } from "#words";

/** Filters of an address that can't be used, on every page that has some. */

type Filters = readonly (readonly [name: string, value: string])[];

const MOST_LETTERS = 60;

/** Names the filters that a page is shown without. */
export function LeftOut({ filters }: { filters: Filters }) {
  const t = useWords("shell");
  const count = filters.length;
  const named = filters.map(([name, value]) => `${name}=${value}`);
  return (
    <Notice kind="warning" title={t("leftOut.title", { count })}>
      <p>
        {t.rich("leftOut.text", {
          count,
          filters: () => (
            <code key="filters" dir="ltr" className="wrap-anywhere">
              {named
                .map((one) => (one.length > MOST_LETTERS ? `${one.slice(0, MOST_LETTERS)}…` : one))
                .join(" & ")}
            </code>
          ),
        })}
      </p>
    </Notice>
  );
}

type SearchProps = {
  /** This page, with its query. */ path: string;
  /** What is wrong with the words. */ problem: string;
};

/** In place of a list: the field of the search with what is wrong with it, and nothing that seems to match. */
export function SearchRefused({ path, problem }: SearchProps) {
  const t = useWords("shell");
  const locale = useLocale();
  const { pathname, searchParams } = new URL(path, "http://here.invalid");
  const { search, page: _, ...rest } = Object.fromEntries(searchParams);
  return (
    <div className="grid max-w-[60ch] gap-5 py-6 sm:py-10">
      <h1 className="text-2xl text-balance sm:text-3xl">{t("search.refused")}</h1>
      <p className="text-lg text-muted">{t("search.nothing")}</p>
      <FilterBar action={pathname} label={t("search.field")} submitLabel={t("search.field")} keep={rest}>
        <FilterSearch
          value={search}
          error={namedProblem(locale, t("search.field"), fieldProblem(locale, problem))}
        />
      </FilterBar>
      <TextLink href={hrefWith(pathname, rest, {})} className="justify-self-start">
        {t("search.without")}
      </TextLink>
    </div>
  );
}
