"use client";

import clsx from "clsx";
import { useTranslator } from "#i18n";
import { buildHrefWithQueryChanges, listPageNumbers, type SearchParams } from "#lib/design/query.ts";
import { Icon } from "./icon.tsx";
import { Link } from "./link.tsx";

type Props = {
  path: string;
  /** The current query, which every link preserves. */
  query: SearchParams;
  page: number;
  pages: number;
  label?: string;
  /** Query parameter of the page number. */
  name?: string;
  /** Id of the list, for the links' fragment. */
  anchor?: string;
  /** "a" where the page around it handles plain links itself. */
  as?: typeof Link | "a";
};

/** Links to the other pages of a list; renders nothing if there is only one. */
export function PaginationNav({ path, query, page, pages, label, name = "page", anchor, as = Link }: Props) {
  const t = useTranslator("ui");
  if (pages <= 1) return null;
  const href = (n: number) =>
    `${buildHrefWithQueryChanges(path, query, { [name]: n === 1 ? null : n })}${anchor ? `#${anchor}` : ""}`;
  return (
    <nav
      aria-label={label ?? t("pages")}
      className="flex flex-wrap items-center justify-between gap-2 sm:justify-center"
    >
      {page > 1 ? <PageStep as={as} href={href(page - 1)} rel="prev" /> : <span className="w-20 sm:hidden" />}
      <span className="text-muted sm:hidden">{t("pageOf", { page, pages })}</span>
      <ol className="hidden items-center gap-1 sm:flex">
        {listPageNumbers(page, pages).map((n, at) => (
          <li key={n ?? `gap-${at}`}>
            {n === null ? <PageGap /> : <PageNumber as={as} n={n} href={href(n)} current={n === page} />}
          </li>
        ))}
      </ol>
      {page < pages ? (
        <PageStep as={as} href={href(page + 1)} rel="next" />
      ) : (
        <span className="w-20 sm:hidden" />
      )}
    </nav>
  );
}

const CELL_CLASS =
  "inline-flex min-h-11 min-w-11 items-center justify-center gap-1 rounded-control px-2 tabular-nums";

type NumberProps = Required<Pick<Props, "as">> & { n: number; href: string; current: boolean };

function PageNumber({ as: As, n, href, current }: NumberProps) {
  const t = useTranslator("ui");
  return (
    <As
      href={href}
      aria-label={t("page", { page: n })}
      aria-current={current ? "page" : undefined}
      className={clsx(
        CELL_CLASS,
        current ? "bg-accent font-[650] text-accent-ink" : "text-accent hover:bg-accent-soft",
      )}
    >
      {n}
    </As>
  );
}

function PageGap() {
  return <span className={clsx(CELL_CLASS, "text-muted")}>…</span>;
}

type StepProps = Required<Pick<Props, "as">> & { href: string; rel: "prev" | "next" };

function PageStep({ as: As, href, rel }: StepProps) {
  const t = useTranslator("ui");
  return (
    <As
      href={href}
      rel={rel}
      className={clsx(CELL_CLASS, "px-3 font-[550] text-accent hover:bg-accent-soft")}
    >
      {rel === "prev" && <Icon as="chevron-left" size={16} className="rtl:-scale-x-100" />}
      {t(rel === "prev" ? "previous" : "next")}
      {rel === "next" && <Icon as="chevron-right" size={16} className="rtl:-scale-x-100" />}
    </As>
  );
}
