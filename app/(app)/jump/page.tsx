import type { Metadata } from "next";
import { useLocale, useWords } from "#words";
import { usePagesFor } from "#components/jump/pages.ts";
import { NOTHING, pagesNamed, type TargetGroup, targetsOf } from "#components/jump/targets.ts";
import { page } from "#components/shell/page.tsx";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { TextField } from "#components/ui/field.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { mustBeSignedIn, show } from "#lib/http/page.ts";
import type { Query } from "#lib/design/query.ts";
import { jump } from "#lib/jump/operations.ts";
import { JUMP_MIN } from "#lib/jump/schema.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageWords("jump"))("title") };
}

/** The quick jump as a page: for browsers without script, and for links. */
export default page(async function Jump({ searchParams }: { searchParams: Promise<Query> }) {
  const actor = await mustBeSignedIn();
  const { search } = await searchParams;
  const words = typeof search === "string" ? search.trim() : "";
  const t = useWords("jump");
  const locale = useLocale();
  const long = [...words].length >= JUMP_MIN;
  const found = long ? await show(jump, {}, { search: words, language: locale }) : NOTHING;
  const groups = targetsOf(found, pagesNamed(usePagesFor(actor), words), (page) => t(`page.${page}`));
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
            defaultValue={words}
            maxLength={200}
            markOptional={false}
          />
        </div>
        <Button type="submit" variant="primary">
          {t("go")}
        </Button>
      </form>
      {words !== "" && <p role="status">{long ? t("results", { count }) : t("tooShort")}</p>}
      {groups.map((group) => (
        <Results key={group.kind} group={group} />
      ))}
    </div>
  );
});

function Results({ group }: { group: TargetGroup }) {
  const t = useWords("jump");
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
