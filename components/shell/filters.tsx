import { buttonClass } from "#components/ui/button-class.ts";
import { Glyph } from "#components/ui/glyph.tsx";
import { circleExclamationPoint, triangleExclamationPoint } from "#lib/design/glyphs.ts";
import { hrefWith } from "#lib/design/query.ts";
import { fieldProblem, namedProblem } from "#lib/i18n/problems.ts";
import { useLocale, useWords } from "#words";

/**
 * Filters of an address that can't be used, on every page that has some. The door of every page reaches this, so it is
 * plain markup: what it imports of the browser's would be sent with each of them (docs/decisions/018).
 */

type Filters = readonly (readonly [name: string, value: string])[];

const MOST_LETTERS = 60;

/** Names the filters that a page is shown without. */
export function LeftOut({ filters }: { filters: Filters }) {
  const t = useWords("shell");
  const count = filters.length;
  const named = filters.map(([name, value]) => `${name}=${value}`);
  return (
    <div className="flex gap-3 rounded-surface border border-current/25 bg-caution-soft p-4 text-caution">
      <Glyph of={triangleExclamationPoint} className="mt-0.5" />
      <div className="grid min-w-0 max-w-[68ch] gap-1 text-ink">
        <p className="font-[650]">{t("leftOut.title", { count })}</p>
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
      </div>
    </div>
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
      <form action={pathname} method="get" role="search" className="grid justify-items-start gap-3">
        {Object.entries(rest).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <label htmlFor="search" className="font-[550]">
          {t("search.field")}
        </label>
        <p id="search-problem" className="flex gap-2 text-danger">
          <Glyph of={circleExclamationPoint} className="mt-0.5" />
          {namedProblem(locale, t("search.field"), fieldProblem(locale, problem))}
        </p>
        <input
          id="search"
          type="search"
          name="search"
          dir="auto"
          defaultValue={search}
          aria-invalid="true"
          aria-describedby="search-problem"
          className="control"
        />
        <button type="submit" className={buttonClass()}>
          {t("search.field")}
        </button>
      </form>
      <a
        href={hrefWith(pathname, rest, {})}
        className="text-link inline-flex min-h-11 items-center justify-self-start"
      >
        {t("search.without")}
      </a>
    </div>
  );
}
