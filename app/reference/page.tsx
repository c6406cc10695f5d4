import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { CodeBlock } from "#components/reference/code.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import {
  API_REFERENCE_GROUPS,
  ERROR_RESPONSE_EXAMPLE_JSON,
  buildSignInCurlExample,
  buildTokenCurlExample,
} from "#lib/http/api-reference.ts";
import { env } from "#lib/env.ts";
import { loadApiReferenceEndpoints } from "./reference.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("reference"))("title") };
}

/** The start page of the API reference: how to begin, and the list of groups. */
export default definePage(async function Reference() {
  const endpoints = await loadApiReferenceEndpoints();
  const t = useTranslator("reference");
  return (
    <NarrowFrame width="reading">
      <div className="grid gap-8">
        <PageHeader
          title={t("title")}
          meta={<p className="max-w-[60ch]">{t("intro")}</p>}
          actions={<LinkButton href="/api/openapi.json">{t("document")}</LinkButton>}
        />
        <GettingStarted />
        <Card title={t("groups")}>
          <ul className="divide-y divide-line">
            {API_REFERENCE_GROUPS.map((group) => (
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

function GettingStarted() {
  const t = useTranslator("reference");
  return (
    <Card title={t("begin")}>
      <div className="grid gap-4">
        <p>
          {t.rich("beginToken", {
            account: (chunks) => <TextLink href="/account/tokens">{chunks}</TextLink>,
          })}
        </p>
        <CodeBlock>{buildTokenCurlExample(env().baseUrl)}</CodeBlock>
        <p>{t("beginSession")}</p>
        <CodeBlock>{buildSignInCurlExample(env().baseUrl)}</CodeBlock>
        <TextLink
          href="/reference/docs/clients.md"
          hrefLang="en"
          className="inline-flex min-h-11 items-center justify-self-start"
        >
          {t("guide")}
        </TextLink>
        <h3 className="mt-2">{t("errors")}</h3>
        <p>{t("errorsAbout")}</p>
        <CodeBlock>{ERROR_RESPONSE_EXAMPLE_JSON}</CodeBlock>
        <TextLink href="/reference/errors" className="inline-flex min-h-11 items-center justify-self-start">
          {t("codes")}
        </TextLink>
        <h3 className="mt-2">{t("paging")}</h3>
        <p>{t("pagingAbout")}</p>
        <h3 className="mt-2">{t("limits")}</h3>
        <p>{t("limitsAbout")}</p>
        <h3 className="mt-2">{t("versions")}</h3>
        <p>{t("versionsAbout")}</p>
      </div>
    </Card>
  );
}
