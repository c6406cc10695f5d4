import type { Metadata } from "next";
import { useLocale, useTranslator } from "#i18n";
import { useJumpPages } from "#components/jump/pages.ts";
import {
  EMPTY_JUMP_RESULTS,
  filterJumpTargetsByLabel,
  type JumpTargetGroup,
  buildJumpTargetGroups,
} from "#components/jump/targets.ts";
import { definePage } from "#components/shell/page.tsx";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { TextField } from "#components/ui/field.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { getActorOrRedirectToSignIn, loadPageData } from "#lib/http/page.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { searchJumpTargets } from "#lib/incidents/jump-operations.ts";
import { MIN_JUMP_SEARCH_LENGTH } from "#lib/incidents/jump-schema.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("jump"))("title") };
}

/** The quick jump as a page, for browsers without script and for links. */
export default definePage(async function Jump({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await getActorOrRedirectToSignIn();
  const { search } = await searchParams;
  const searchText = typeof search === "string" ? search.trim() : "";
  const t = useTranslator("jump");
  const locale = useLocale();
  const long = [...searchText].length >= MIN_JUMP_SEARCH_LENGTH;
  const results = long
    ? await loadPageData(searchJumpTargets, {}, { search: searchText, language: locale })
    : EMPTY_JUMP_RESULTS;
  const pages = filterJumpTargetsByLabel(useJumpPages(actor), searchText);
  const groups = buildJumpTargetGroups(results, pages, (page) => t(`page.${page}`));
  const count = groups.reduce((sum, { items }) => sum + items.length, 0);
  return (
    <div className="grid max-w-3xl gap-6">
      <PageHeader title={t("title")} />
      <form method="get" action="/jump" role="search" className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 grow">
          <TextField
            name="search"
            type="search"
            label={t("field")}
            hint={t("hint")}
            defaultValue={searchText}
            maxLength={200}
            markOptional={false}
          />
        </div>
        <Button type="submit" variant="primary">
          {t("go")}
        </Button>
      </form>
      {searchText !== "" && <p role="status">{long ? t("results", { count }) : t("tooShort")}</p>}
      {groups.map((group) => (
        <JumpResultGroup key={group.kind} group={group} />
      ))}
    </div>
  );
});

function JumpResultGroup({ group }: { group: JumpTargetGroup }) {
  const t = useTranslator("jump");
  return (
    <Card title={t(group.kind)}>
      <ul className="grid divide-y divide-line">
        {group.items.map(({ id, label, about, href }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-3 py-1.5 first:pt-0 last:pb-0">
            <TextLink href={href} className="inline-flex min-h-11 min-w-0 items-center wrap-anywhere">
              <bdi>{label}</bdi>
            </TextLink>
            <span dir="auto" className="min-w-0 text-sm wrap-anywhere text-muted">
              {about}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
