import type { Metadata } from "next";
import { useWords } from "#words";
import { Code } from "#components/reference/code.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { GROUPS, REFUSAL, signIn, withToken } from "#lib/http/api-reference.ts";
import { env } from "#lib/env.ts";
import { allEndpoints } from "./reference.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageWords("reference"))("title") };
}

/** Where a program begins, and what there is. */
export default page(async function Reference() {
  const endpoints = await allEndpoints();
  const t = useWords("reference");
  return (
    <NarrowFrame width="reading">
      <div className="grid gap-8">
        <PageHeader
          title={t("title")}
          meta={<p className="max-w-[60ch]">{t("intro")}</p>}
          actions={<LinkButton href="/api/openapi.json">{t("document")}</LinkButton>}
        />
        <Card title={t("begin")}>
          <div className="grid gap-4">
            <p>
              {t.rich("beginToken", {
                account: (words) => <TextLink href="/account/tokens">{words}</TextLink>,
              })}
            </p>
            <Code>{withToken(env().baseUrl)}</Code>
            <p>{t("beginSession")}</p>
            <Code>{signIn(env().baseUrl)}</Code>
            <h3 className="mt-2">{t("errors")}</h3>
            <p>{t("errorsAbout")}</p>
            <Code>{REFUSAL}</Code>
            <h3 className="mt-2">{t("paging")}</h3>
            <p>{t("pagingAbout")}</p>
            <h3 className="mt-2">{t("limits")}</h3>
            <p>{t("limitsAbout")}</p>
          </div>
        </Card>
        <Card title={t("groups")}>
          <ul className="divide-y divide-line">
            {GROUPS.map((group) => (
              <li key={group} className="flex flex-wrap items-center justify-between gap-x-4">
                <TextLink href={`/reference/${group}`} className="inline-flex min-h-12 items-center">
                  {t(`g.${group}`)}
                </TextLink>
                <span className="text-sm text-muted">
                  {t("count", { count: endpoints.filter((one) => one.group === group).length })}
                </span>
              </li>
            ))}
          </ul>
        </Card>
      </div>
    </NarrowFrame>
  );
}, NarrowFrame);
