import { useTranslator } from "#i18n";
import { PaginationNav } from "#components/ui/pagination.tsx";
import type { SearchParams } from "#lib/design/query.ts";

type Props = { path: string; query: SearchParams; pagination: { page: number; totalPages: number } };

/** The links between the pages of an incident's timeline. */
export function TimelinePagination({ path, query, pagination }: Props) {
  const t = useTranslator("ownReport");
  return (
    <PaginationNav
      path={path}
      query={query}
      page={pagination.page}
      pages={pagination.totalPages}
      label={t("timelinePages")}
    />
  );
}
